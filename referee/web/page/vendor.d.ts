// What the third-party scripts put into the page, as far as it is used.

interface Nacl {
  hash(bytes: Uint8Array): Uint8Array;
  randomBytes(count: number): Uint8Array;
  secretbox(plain: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array;
  sign: {
    keyPair: { fromSeed(seed: Uint8Array): { publicKey: Uint8Array; secretKey: Uint8Array } };
    detached(signed: Uint8Array, secretKey: Uint8Array): Uint8Array;
  };
  box: {
    before(peer: Uint8Array, own: Uint8Array): Uint8Array;
    after(plain: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array;
    open: {
      (sealed: Uint8Array, nonce: Uint8Array, peer: Uint8Array, own: Uint8Array): Uint8Array | null;
      after(sealed: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array | null;
    };
    keyPair: { fromSecretKey(own: Uint8Array): { publicKey: Uint8Array; secretKey: Uint8Array } };
  };
}

interface MqttClient {
  on(event: "connect" | "close", heard: () => unknown): void;
  on(event: "message", heard: (topic: string, payload: Uint8Array) => unknown): void;
  on(event: "error", heard: (error: { code?: number }) => unknown): void;
  subscribe(topics: string[], options: { qos: 0 | 1 }, done: (error: Error | null, granted?: { qos: number }[]) => void): void;
  publish(topic: string, payload: string | Uint8Array, options: { qos: 0 | 1; retain?: boolean }): void;
  end(force: boolean): void;
}

interface NoSleep {
  readonly isEnabled: boolean;
  readonly noSleepVideo?: HTMLVideoElement; // where the browser has no wake lock
  enable(): Promise<unknown>;
  disable(): void;
}

declare var NoSleep: { new (): NoSleep };
declare var nacl: Nacl;
declare var mqtt: { connect(url: string, options: object): MqttClient };
