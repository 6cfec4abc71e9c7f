() => [...document.querySelectorAll("#stage .fb-node")].flatMap((node) => {
  const text = node.querySelector("text");
  const area = text.getBoundingClientRect();
  const stage = document.getElementById("stage").getBoundingClientRect();
  if (!area.width || area.right < stage.left || area.left > stage.right || area.bottom < stage.top || area.top > stage.bottom) return [];
  const scaled = area.height / text.getBBox().height;
  return [{ v: Number(node.dataset.v), pixels: scaled * parseFloat(getComputedStyle(text).fontSize),
    left: area.left, right: area.right, top: area.top, bottom: area.bottom }];
})
