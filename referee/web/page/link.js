// The handset's link, as referee/net/links/handset_link.py: what is public, and the own seat's letters.
//
//   const link = new Link(place, tell);  link.start();  link.send({ type: "ready", id: link.newId() })
//
// `tell` hears { type: "up" | "down" | "refused" } and { type: "status" | "info" | "view" | "letter" | "proof", value }. Public
// events are heard for their links alone: the view that follows each says all else.
// It says hello by itself: when it has come or come back, when the referee has, and when a game is announced. Every message is
// kept until it was answered, and repeated after each hello under the same id.

import { hex, randomBytes, unhex } from "./bytes.js";
import { countersignature } from "./commitments.js";
import { HeardChain } from "./heard_chain.js";
import { HandsetSeal, SealError } from "./sealing.js";

/** @import { View } from "../toolkit/published.d.ts" */
/** @import { Act, Message, Place } from "./types.d.ts" */

const ROOT = "hallmarshal/1/boards";
const KEEPALIVE_S = 8; // after half as long again a silent phone counts as gone: its player pays for that time
const SILENCE_MS = 4000;
const PATIENCE_MS = 5000;
const PAUSES_MS = [300, 1000, 2000, 3000, 5000];
const NOT_WELCOME = new Set([2, 4, 5]); // what a broker answers to a name, a password or a client that it does not want

export class Link {
  /**
   * @param {Place} place
   * @param {Act} tell
   * @param {string} [name]
   */
  constructor(place, tell, name = "") {
    this.place = place;
    this.name = name; // what the player wants to be called
    this.level = place.against ?? 0; // of the computer that he wants to play, 0 for none
    this.compared = Boolean(place.confirmed); // whether the player has confirmed the six digits
    this.tell = tell;
    const session = randomBytes(8);
    /** @type {string | undefined} */
    this.signed = undefined; // the head of the chain that was signed last
    this.chain = new HeardChain("");
    /** @type {View | null} */
    this.view = null; // the newest of this game
    this.asks = ""; // the id of the wish to hear what was missed of the chain that is not answered yet
    this.prefix = hex(session).slice(0, 8);
    this.seal = new HandsetSeal(place, session);
    this.base = `${ROOT}/${place.board}`;
    this.out = `${this.base}/seat/${place.seat}/out`;
    this.inbox = `${this.base}/seat/${place.seat}/in`;
    this.presence = `${this.base}/seat/${place.seat}/presence`;
    this.said = this.hellos = 0;
    this.asked = false; // a hello is on its way whose state has not come
    this.tries = 0;
    this.unanswered = new Map();
    this.status = null;
    this.game = null;
    this.drawn = ""; // the session and the key that the referee has drawn for this game, as its info has them
    this.ply = 0;
    this.heard = this.hears = 0; // the last public event of this game under an earlier start of the referee, and under this one
    this.knowsStart = false; // whether this connection has told which start of the referee is heard
    this.greeted = false;
    this.up = false;
    this.stopped = false;
  }

  start() {
    this.stopped = false;
    clearTimeout(this.pause);
    clearTimeout(this.silence);
    this.close();
    const client = globalThis.mqtt.connect(this.place.ws, {
      clientId: this.place.user,
      username: this.place.user,
      password: this.place.password,
      clean: true,
      protocolVersion: 4,
      keepalive: KEEPALIVE_S,
      connectTimeout: SILENCE_MS,
      reconnectPeriod: 0,
      timerVariant: "native", // the other kinds start a worker from a blob, which our policy forbids
      will: { topic: this.presence, payload: '{"here":false}', qos: 1, retain: true },
    });
    this.client = client;
    client.on("connect", () => this.subscribe(client));
    client.on("message", (topic, payload) => this.client === client && this.take(topic, payload));
    client.on("error", (error) => this.client === client && NOT_WELCOME.has(error.code ?? 0) && this.refuse());
    client.on("close", () => this.client === client && this.lost());
  }

  // Stops for good; the last will says that this handset has gone.
  stop() {
    this.stopped = true;
    clearTimeout(this.pause);
    clearTimeout(this.silence);
    this.close();
  }

  // Makes sure that the connection is alive, after the screen was dark or the network came back.
  wake() {
    if (this.stopped) return;
    if (!this.up) {
      this.tries = 0;
      this.start();
      return;
    }
    this.repeat();
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.start(), SILENCE_MS);
  }

  // Asks for the seat's state and gives true; false while it is being asked for, or cannot be.
  ask() {
    if (this.asked || !this.greeted) return false;
    this.hello();
    return true;
  }

  newId() {
    this.said += 1;
    return `${this.prefix}-${this.said}`;
  }

  /** @param {Message} message */
  send(message) {
    this.unanswered.set(message.id, message);
    if (this.greeted && this.seal.ready) this.post(message);
  }

  close() {
    const client = this.client;
    this.client = null;
    if (client) client.end(true);
    clearTimeout(this.patience);
    const wasUp = this.up;
    this.up = this.greeted = this.asked = this.knowsStart = false;
    if (wasUp) this.tell({ type: "down" });
  }

  /** @param {MqttClient} client */
  subscribe(client) {
    const pub = ["status", "info", "state", "event"].map((name) => `${this.base}/pub/${name}`);
    client.subscribe([...pub, this.inbox], { qos: 1 }, (error, granted) => {
      if (this.client !== client) return;
      if (error || !granted || granted.some((each) => each.qos > 2)) {
        if (granted?.some((each) => each.qos > 2)) this.refuse();
        return;
      }
      this.up = true;
      this.tries = 0;
      this.present();
      this.tell({ type: "up" });
      this.greet();
    });
  }

  present() {
    const said = { here: true, compared: this.compared, name: this.name, against: this.level };
    this.client?.publish(this.presence, JSON.stringify(said), { qos: 1, retain: true });
  }

  // The player has compared the digits: the table's screen need not ask any more.
  confirmDigits() {
    this.compared = true;
    if (this.up) this.present();
  }

  /**
   * Let the computer take the other seat.
   *
   * @param {number} level
   */
  playAgainst(level) {
    this.level = level;
    if (this.up) this.present();
  }

  /** @param {string} name */
  call(name) {
    if (name === this.name) return;
    this.name = name;
    if (this.up) this.present();
  }

  lost() {
    this.close();
    if (this.stopped) return;
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.start(), PAUSES_MS[Math.min(this.tries, PAUSES_MS.length - 1)]);
    this.tries += 1;
  }

  refuse() {
    this.stop();
    this.tell({ type: "refused" });
  }

  greet() {
    if (this.greeted || !this.up || this.game === null || !this.status?.up) return;
    const [session, drawn] = this.drawn.split(":");
    if (session !== this.status.session) return; // a referee that was started again has not yet told which keys it has drawn
    this.seal.draw(drawn);
    this.greeted = true;
    this.hello();
    if (this.seal.ready) this.postUnanswered();
  }

  postUnanswered() {
    for (const message of this.unanswered.values()) this.post(message);
  }

  hello() {
    this.asked = true;
    this.hellos += 1;
    this.post({ type: "hello", id: `hello-${this.prefix}-${this.hellos}`, heard: this.heard, fresh: "" });
  }

  /** @param {Message} message */
  post(message) {
    this.client?.publish(this.out, this.seal.seal(message, this.game, this.ply), { qos: 1 });
    this.expect();
  }

  // Without an answer for a while everything is said again, since a broker that is flooded drops what it cannot keep.
  expect() {
    clearTimeout(this.patience);
    if (this.unanswered.size > 0 || this.asked) this.patience = setTimeout(() => this.repeat(), PATIENCE_MS);
  }

  repeat() {
    this.greeted = false;
    this.greet();
  }

  /**
   * @param {string} topic
   * @param {Uint8Array} payload
   */
  take(topic, payload) {
    try {
      if (topic === this.inbox) this.open(payload);
      else this.hear(topic.slice(this.base.length + 5), JSON.parse(String(payload)));
    } catch (error) {
      if (!(error instanceof SealError || error instanceof SyntaxError)) throw error; // a letter for nobody is dropped
    }
  }

  /**
   * @param {string} name
   * @param {any} value
   */
  hear(name, value) {
    if (name === "status") {
      this.follow(value);
    } else if (name === "info") {
      if (value.game !== this.game) {
        this.game = value.game;
        this.ply = 0;
        this.heard = this.hears = 0;
        this.unanswered.clear();
        this.chain = new HeardChain(value.game);
        this.view = null;
        this.asks = "";
      }
      this.drawn = value.fresh ?? "";
      this.greeted = false; // also for a game we know: a referee that has just begun could not open a hello before
    } else if (name === "state") {
      this.ply = value.ply;
      if (this.knowsStart) this.hears = Math.max(this.hears, value.seq);
      this.view = value;
      this.prove();
    } else if (name === "event") {
      this.chain.take([value]);
      return;
    }
    this.tell({ type: name === "state" ? "view" : name, value });
    if (name === "status" || name === "info") this.greet();
  }

  // Holds the head that the table shows to the one computed here; asks for what is missing, and signs the end if they are the same.
  prove() {
    if (this.view === null) return;
    const before = this.chain.proof;
    const proof = this.chain.judge(this.view);
    if (proof !== before) this.tell({ type: "proof", value: proof });
    if (proof === "checked") this.countersign(this.view);
    if (proof !== "unheard" || this.asks) return;
    this.asks = `sign-${this.prefix}-${this.view.seq}-${this.chain.heard}`;
    this.send({ type: "missed", id: this.asks, heard: this.chain.heard });
  }

  /**
   * Take what was missed; where nothing follows it is asked for again when the next view comes.
   *
   * @param {Message} answer
   */
  takeMissed({ events = [] }) {
    const before = this.chain.heard;
    this.asks = "";
    this.chain.take(events.map((/** @type {any} */ one) => one[0])); // each is an array: the event, and the ranks that its letter told
    if (this.chain.heard > before) this.prove();
  }

  // The end of a game is signed by itself, each head of its chain once.
  /** @param {View} view */
  countersign(view) {
    if (view.chain === this.signed) return;
    const made = countersignature(view, this.place);
    if (made === null) return;
    this.signed = view.chain;
    this.send({ type: "countersign", id: `sign-${this.prefix}-${view.seq}`, ...made });
  }

  /** @param {any} status */
  follow(status) {
    const started = this.status?.session !== status.session;
    if (started || !status.up) this.greeted = false;
    if (started && this.hears) {
      this.heard = this.hears;
      this.hears = 0;
    }
    this.knowsStart = status.up;
    this.status = status;
    this.seal.follow(unhex(status.session));
  }

  /** @param {Uint8Array} payload */
  open(payload) {
    if (this.game === null) return;
    const waited = !this.seal.ready;
    const message = this.seal.open(new Uint8Array(payload), this.game);
    if (waited && this.greeted) this.postUnanswered();
    clearTimeout(this.silence);
    if (message.type === "state") this.asked = false;
    if (["accepted", "rejected", "history"].includes(message.type)) this.unanswered.delete(message.re);
    this.expect();
    if (message.re === this.asks) this.takeMissed(message);
    if (/^(sign|hello)-/.test(message.re ?? "")) return; // nobody asked for it
    this.tell({ type: "letter", value: message });
  }
}
