// How networks of timm's table were trained, as the names of their recipes tell.

/** A row of the table. */
export interface Row {
  /** Network and image size. */
  readonly key: string;
  readonly name: string;
  readonly family: string;
  readonly recipe: string;
  readonly size: number;
  /** The part of the image's side that is looked at. */
  readonly crop: number;
  readonly top1: number;
}

/** @param text CSV with a head */
export function tableRows(text: string): Row[] {
  const [head, ...lines] = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(','));
  const at = (name: string): number => head!.indexOf(name);
  return lines.map((cells) => {
    const cell = (name: string): string => cells[at(name)]!;
    const [name, size] = [cell('architecture'), Number(cell('img_size'))];
    return {
      ...{ name, size, key: `${name}-${size}`, family: cell('family'), recipe: cell('recipe') },
      ...{ crop: Number(cell('crop_pct')), top1: Number(cell('top1')) },
    };
  });
}

const PATTERNS = {
  larger: /in12k|in21k|in22k/,
  web: /jft|ig1b|laion|openai|webli|yfcc|m38m|m30m|clip|swag|seer|6m/,
  distilled: /dist|ssld|usi|swsl|ns_jft/,
  selfSupervised: /mae|mim|beit|dino|laion|openai|in1k_ft/,
};
/** Of recipes whose names do not say it. */
const EPOCHS: Readonly<Record<string, number>> = {
  ...{ a1: 600, a2: 300, a3: 100, tv: 90, tv2: 600, gluon: 120, pycls: 100 },
};
const TAGS =
  'a1 a2 a3 tv gluon ra ra2 ra3 ra4 a1h c2ns ch ah sw bt tf fb pycls ms sail tv2 apple aa ap d sam'.split(
    ' ',
  );

/** Places of attributes that share a length scale. */
export const RECIPE_GROUPS = [
  [0],
  [1],
  [2],
  [3],
  [4],
  [5],
  [6, ...TAGS.map((_, i) => 7 + i)],
  [7 + TAGS.length],
];

/** Numbers that the name of a recipe tells. */
export function attributesOf({ recipe, size, crop }: Row): number[] {
  const words = recipe.split('_');
  const named = /(?:^|_)e(\d{3,4})(?:_|$)/.exec(recipe) ?? /(\d{3,4})ep?(?:_|$)/.exec(recipe);
  const known = words.find((word) => word in EPOCHS);
  const epochs = named ? Number(named[1]) : known ? EPOCHS[known]! : 0;
  const trained = /_(\d{3})$/.exec(recipe) ?? /(?:^|_)r(\d{3})(?:_|$)/.exec(recipe);
  return [
    ...Object.values(PATTERNS).map((pattern) => Number(pattern.test(recipe))),
    epochs > 0 ? Math.log2(epochs) : 0,
    trained ? Math.log2(size / Number(trained[1])) : 0,
    Number(recipe === 'in1k'),
    ...TAGS.map((tag) => Number(words.includes(tag))),
    crop,
  ];
}

export interface RecipeClass {
  readonly name: string;
  /** What follows "trained". */
  readonly about: string;
  has(row: Row): boolean;
}

const has = (row: Row, pattern: keyof typeof PATTERNS): boolean => PATTERNS[pattern].test(row.recipe);
const isAlone = (row: Row): boolean =>
  !Object.values(PATTERNS).some((pattern) => pattern.test(row.recipe)) && !/_ft_|^ft_/.test(row.recipe);
const tagged =
  (tag: string) =>
  (row: Row): boolean =>
    isAlone(row) && row.recipe.split('_').includes(tag);

/** Ways to train that users choose from. The first is the default. */
export const RECIPES: readonly RecipeClass[] = [
  { name: 'in1k', about: 'on ImageNet-1k from scratch, best published recipe', has: isAlone },
  {
    name: 'distilled',
    about: 'on ImageNet-1k with distillation from a better network',
    has: (row) => has(row, 'distilled') && !has(row, 'larger') && !has(row, 'web'),
  },
  {
    name: 'in22k',
    about: 'on ImageNet-22k (or 12k), then fine-tuned on ImageNet-1k',
    has: (row) => has(row, 'larger') && !has(row, 'web'),
  },
  {
    name: 'web',
    about: 'on hundreds of millions of images of the web, then fine-tuned on ImageNet-1k',
    has: (row) => has(row, 'web'),
  },
  {
    name: 'tv',
    about: 'on ImageNet-1k by the plain recipe of 2016: 90 epochs, steps, flips',
    has: tagged('tv'),
  },
  { name: 'a1', about: 'on ImageNet-1k by "ResNet strikes back" A1: 600 epochs', has: tagged('a1') },
  { name: 'a2', about: 'on ImageNet-1k by "ResNet strikes back" A2: 300 epochs', has: tagged('a2') },
  {
    name: 'a3',
    about: 'on ImageNet-1k by "ResNet strikes back" A3: 100 epochs at 160 pixels',
    has: tagged('a3'),
  },
];
