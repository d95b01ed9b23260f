// Which page this is says its address; what is served is the same for all.

/** @type {{ [path: string]: string }} */
const PAGES = { "/screen": "screen" };
const page = PAGES[location.pathname] ?? "arbiter";
document.body.className = page;
await import(`/${page}.js`);

export {};
