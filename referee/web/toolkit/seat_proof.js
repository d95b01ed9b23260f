// How a phone shows the table that it has a seat without telling its key (docs/reference/library.md).

const PLACE = "hallmarshal.place";
const SODIUM = "/vendor/nacl-fast.min.js";

/** @returns {{ own: string, peer: string } | null} */
function place() {
  const frame = globalThis.frameElement ? `.${globalThis.frameElement.getAttribute("name")}` : "";
  for (const store of ["sessionStorage", "localStorage"]) {
    try {
      const found = JSON.parse(/** @type {any} */ (globalThis)[store].getItem(PLACE + frame) ?? "null");
      if (typeof found?.own === "string" && typeof found.peer === "string") return found;
    } catch {
      // damaged, or closed to us: as if nothing was kept
    }
  }
  return null;
}

/** @param {string} text */
const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (sign) => sign.charCodeAt(0));
/** @param {Uint8Array} raw */
const text = (raw) => btoa(String.fromCharCode(...raw)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

/** Load the library that opens and seals, where the page has not. */
async function sodium() {
  if (globalThis.nacl === undefined) {
    const script = document.createElement("script");
    script.src = SODIUM;
    await new Promise((done, failed) => {
      script.addEventListener("load", done);
      script.addEventListener("error", failed);
      document.head.append(script);
    });
  }
  return globalThis.nacl;
}

/**
 * Return what shows that this phone has a seat, null where it has none.
 *
 * @param {string} challenge
 */
export async function proof(challenge) {
  const kept = place();
  if (kept === null) return null;
  try {
    const nacl = await sodium();
    const own = nacl.box.keyPair.fromSecretKey(bytes(kept.own));
    const nonce = crypto.getRandomValues(new Uint8Array(24));
    const said = new TextEncoder().encode(`hallmarshal library 1\n${challenge}`);
    const sealed = nacl.box.after(said, nonce, nacl.box.before(bytes(kept.peer), own.secretKey));
    return { key: text(own.publicKey), sealed: text(Uint8Array.of(...nonce, ...sealed)) };
  } catch {
    return null;
  }
}
