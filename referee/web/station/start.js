// Which page this is says its address; what is served is the same for all.

const PAGES = { "/screen": "screen", "/live": "live" };
const name = PAGES[location.pathname] ?? "arbiter";
document.body.className = name;
import(`/${name}.js`);
