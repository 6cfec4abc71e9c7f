() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgba = (color) => {
    if (!known.has(color)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      known.set(color, [r, g, b, a / 255]);
    }
    return known.get(color);
  };
  const over = (top, below) => {
    const share = top[3];
    return [0, 1, 2].map((k) => top[k] * share + below[k] * (1 - share)).concat(1);
  };
  const luminance = ([r, g, b]) => {
    const part = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const ground = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(rgba(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.closest("script, style, title, desc, datalist, option, .unseen, .skip, .tip")) continue;
    const area = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    if (!area.width || !area.height || style.visibility === "hidden") continue;
    const drawn = element instanceof SVGElement;
    let below = ground(element);
    const box = element.closest(".fb-node")?.querySelector("rect");
    if (box && !element.closest(".far") && !element.matches(".outside")) {
      const own = getComputedStyle(box);
      below = over(rgba(own.fill), below);
    }
    const ink = rgba(drawn ? style.fill : style.color);
    const opaque = over([ink[0], ink[1], ink[2], ink[3] * Number(drawn ? style.fillOpacity : 1)], below);
    const [light, dark] = [luminance(opaque), luminance(below)].sort((a, b) => b - a);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < (large ? 3 : 4.5)) found.push(`${ratio.toFixed(2)} ${element.tagName}.${element.getAttribute("class")}: ${walker.currentNode.data.trim().slice(0, 30)}`);
  }
  return { found: [...new Set(found)], colors: known.size };
}
