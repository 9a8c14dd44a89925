// Output features of a trained network for an image, as Kadlecová et al. (2023) reduce them: with f what enters the last
// dense layer and w, b its weights and bias for the image's true class, the products of (f, 1) and (w, b), sorted by
// (w, b), the greatest first; the first k of them.

/** @param features (images, width) @returns (images, kept) */
export function ioFeatures(
  features: Float32Array,
  labels: Uint8Array,
  layer: { readonly weight: Float32Array; readonly bias: Float32Array },
  kept: number,
): Float32Array {
  const classes = layer.bias.length;
  const width = layer.weight.length / classes;
  const orders = Array.from({ length: classes }, (_, label) => greatest(layer, label, kept));
  const out = new Float32Array(labels.length * kept);
  labels.forEach((label, image) => {
    orders[label]!.forEach(({ place, weight }, k) => {
      out[image * kept + k] = place === width ? weight : features[image * width + place]! * weight;
    });
  });
  return out;
}

/** The greatest weights of a class, the bias being the last; of equal ones the first. */
function greatest(
  { weight, bias }: { readonly weight: Float32Array; readonly bias: Float32Array },
  label: number,
  kept: number,
): { place: number; weight: number }[] {
  const classes = bias.length;
  const width = weight.length / classes;
  return Array.from({ length: width + 1 }, (_, place) => ({
    place,
    weight: place === width ? bias[label]! : weight[place * classes + label]!,
  }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, kept);
}
