// Notes when a phone is tapped and when it shows a verdict, for `hallmarshal bench handset`; what it notes is `document.watched`.
() => {
    const now = () => performance.timeOrigin + performance.now();
    let dom = null;
    let tell = null;
    const watched = {
        tapped: null,
        shown: null,
        again: () => {
            watched.tapped = dom = null;
            watched.shown = new Promise((done) => {
                tell = done;
            });
        },
    };
    document.watched = watched;
    addEventListener(
        "pointerdown",
        () => {
            watched.tapped = now();
        },
        true,
    );
    new MutationObserver(() => {
        if (dom !== null || !document.querySelector(".verdict")) return;
        dom = now();
        requestAnimationFrame(() => tell({ dom, frame: now() }));
    }).observe(document.querySelector("#page"), { childList: true, subtree: true });
};
