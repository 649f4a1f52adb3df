/* SPDX-License-Identifier: Apache-2.0
 *
 * The switch between versions, in the pages of all of them. It is one file above their folders,
 * which tools/build_site writes with the list in front: so pages of old versions know new ones. */
(() => {
    const top = new URL(".", document.currentScript.src);
    const box = document.currentScript.parentElement;
    const choice = box.querySelector("select");
    for (const version of versions)
        choice.add(new Option(version, version, false, version === choice.dataset.version));
    choice.addEventListener("change", () => {
        location.href = new URL(`${choice.value}/index.html`, top);
    });
    box.hidden = versions.length < 2;
})();
