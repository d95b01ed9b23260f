// A phone that is narrower than the narrowest for which the screens are drawn shows the same page a little smaller.
{
  const NARROWEST = 360;
  const upright = matchMedia("(orientation: portrait)");
  const fit = () => {
    const narrow = upright.matches && Math.min(screen.width, screen.height) < NARROWEST;
    const viewport = /** @type {HTMLMetaElement} */ (document.querySelector("meta[name=viewport]"));
    viewport.content = `${narrow ? `width=${NARROWEST}` : "width=device-width, initial-scale=1"}, viewport-fit=cover`;
  };
  upright.addEventListener("change", fit);
  fit();
}
