
(() => {
  "use strict";
  const box = document.getElementById("search");
  const count = document.getElementById("count");
  const items = [...document.querySelectorAll("[data-item]")].map((element) => ({
    element,
    kind: element.dataset.item,
    link: element.querySelector("a"),
    text: element.textContent.toLowerCase(),
  }));
  const contents = [...document.querySelectorAll("nav ul ul a")];
  box.form.hidden = items.length === 0;

  const shown = () => items.filter((item) => !item.element.hidden);

  // Hides what does not have every word, and says how much is left.
  function filter() {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = { tool: 0, error: 0, setting: 0 };
    for (const item of items) {
      item.element.hidden = !words.every((word) => item.text.includes(word));
      found[item.kind] += item.element.hidden ? 0 : 1;
    }
    for (const link of contents) {
      const target = document.getElementById(link.hash.slice(1));
      link.parentElement.hidden = Boolean(target && target.hidden);
    }
    document.body.classList.toggle("filtering", words.length > 0);
    const parts = Object.entries(found)
      .filter(([, number]) => number > 0)
      .map(([kind, number]) => `${number} ${kind}${number === 1 ? "" : "s"}`);
    count.textContent = words.length === 0 ? "" : parts.join(", ") || "nothing found";
  }

  function clear() {
    box.value = "";
    filter();
  }

  // What a link leads to must be there to be seen.
  function reveal() {
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    if (target.closest("[hidden]") || target.getClientRects().length === 0) clear();
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) {
      fold.open = true;
    }
    target.scrollIntoView();
  }

  function keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const here = document.activeElement;
    const at = shown().findIndex((item) => item.link === here);
    const go = (index) => {
      event.preventDefault();
      const next = index < 0 ? box : shown()[Math.min(index, shown().length - 1)]?.link;
      next?.focus();
    };
    if (event.key === "/" && here !== box) {
      event.preventDefault();
      box.focus();
      box.select();
    } else if (event.key === "Escape" && (here === box || at >= 0 || box.value !== "")) {
      event.preventDefault();
      clear();
      box.focus();
    } else if (event.key === "ArrowDown" && (here === box || at >= 0)) {
      go(at + 1);
    } else if (event.key === "ArrowUp" && at >= 0) {
      go(at - 1);
    } else if (event.key === "Enter" && here === box) {
      event.preventDefault();
      if (box.value.trim() !== "") shown()[0]?.link.click();
    }
  }

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const fold of opened) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of opened) fold.open = false;
  });
  box.form.addEventListener("submit", (event) => event.preventDefault());
  box.addEventListener("input", () => {
    filter();
    scrollTo(0, 0);
  });
  document.addEventListener("keydown", keys);
  addEventListener("hashchange", () => {
    reveal();
    // Browsers drop the focus here; the arrow keys go on from the item.
    items.find((item) => `#${item.element.id}` === location.hash)?.link.focus({ preventScroll: true });
  });
  filter();
  reveal();
})();
