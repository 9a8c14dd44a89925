// The neighbourhood of an ONNX file: the network itself, and networks in which sequences of operators are replaced by
// other sub-graphs for the same sizes. Rules say what can stand in the place of what (`rules/`).
import { structureHash } from '../../analysis/hash.js';
import { type Inference, inferShapes } from '../../analysis/infer.js';
import { type Dim, isKnown } from '../../graph/dim.js';
import { isInteger } from '../../graph/dtype.js';
import type { Model } from '../../graph/graph.js';
import { isTensor } from '../../graph/types.js';
import { LEAST_OPSET } from '../../ops/build.js';
import { withOpset } from '../../transform/opset.js';
import { AuspexError } from '../../util/errors.js';
import type { Random } from '../../util/random.js';
import { archError } from '../arch-error.js';
import { choiceOf } from '../choice.js';
import { mutantOf } from '../choices.js';
import type { Choice, Space, SpaceDefaults } from '../space.js';
import { EditedGraph } from './edited-graph.js';
import { outerShapes, withShuffledWeights, withSizes } from './edited-model.js';
import { Edits, keyOf, type OnnxArch, type OnnxEdit } from './edits.js';
import { RULES } from './rules/index.js';

export type { OnnxArch, OnnxEdit } from './edits.js';

const NAME = 'onnx';
const BASE = 'base';

/** Samples have fewer edits than this, or the neighbourhood would be far away. */
const SAMPLED_EDITS = 5;

/** What files with an older opset than layers can be written in are brought to. */
const WRITABLE_OPSET = 17;

/**
 * The networks around a model. Texts name places and what stands there: `base`, or
 * `base;Relu_3=Gelu;/layer1/conv2/Conv../layer1/relu/Relu=separable3`. Nodes without a name of their own are `#` and their
 * place in the file, from 0. Nodes that an edit writes can be edited in turn.
 *
 * The options of `network` cannot change what is fixed in the file. A batch that is not fixed is 1 unless told. With
 * a seed other than 0 the elements of every weight are shuffled.
 *
 * @param name of the model, for people: that of its file.
 */
export function onnxSpace(name: string, model: Model): Space<OnnxArch> {
  const inference = inferShapes(model);
  const base = EditedGraph.of(editable(inference));
  const edits = new Edits(base);
  const formatted = (arch: OnnxArch): string => (arch.length === 0 ? BASE : `${BASE};${keyOf(arch)}`);
  const choices = (arch: OnnxArch): Choice<OnnxArch>[] => [
    ...arch.map((edit) => presentChoice(edits, arch, edit)),
    ...newChoices(edits, arch),
  ];
  const unsized = (arch: OnnxArch): Model =>
    arch.length === 0 ? model : { ...base.model, graph: edits.graph(arch).finished() };
  const space: Space<OnnxArch> = {
    name: NAME,
    title: `Neighbourhood of ${name}`,
    paper: 'none: made from the file',
    notation:
      `'${BASE}' for the file itself, then ';node=option' or ';first..last=option' for every sequence of nodes that is ` +
      `replaced. Options: ${RULES.flatMap(({ notation }) => notation).join(', ')}.`,
    example: exampleOf(base, formatted),
    get size() {
      return base.sites.size === 0 ? 1n : undefined;
    },
    defaults: defaultsOf(inference),
    origin: [],
    changes: (arch) =>
      edits.steps(arch).map(({ to, edited: { rule, replaced, written } }) => ({
        rule: rule.name,
        to,
        replaced,
        written,
      })),
    sample: (random) => sampled(space, random),
    choices,
    cross: (a, b, random) => crossed(edits, a, b, random),
    parse: (text) => parsed(text, edits),
    format: formatted,
    hash: (arch) => structureHash(inferShapes(unsized(arch))),
    network: (arch, options = {}) => {
      const edited = unsized(arch);
      const found = arch.length === 0 ? inference : inferShapes(edited);
      const graph = withSizes(name, found, options);
      const { seed = 0 } = options;
      return { ...edited, graph: seed === 0 ? graph : withShuffledWeights(graph, found, seed) };
    },
  };
  return space;
}

/** The network in an opset in which layers can be written; as it is where it cannot be brought to one. */
function editable(inference: Inference): Inference {
  const { model } = inference;
  const opset = model.opsetImports.get('') ?? model.opsetImports.get('ai.onnx') ?? LEAST_OPSET;
  if (opset >= LEAST_OPSET) return inference;
  try {
    return inferShapes(withOpset(model, WRITABLE_OPSET).model);
  } catch (error) {
    if (error instanceof AuspexError) return inference;
    throw error;
  }
}

function exampleOf({ sites }: EditedGraph, formatted: (arch: OnnxArch) => string): string {
  const [first] = sites.values();
  return formatted(first === undefined ? [] : [{ at: first.label, to: first.options[0]! }]);
}

// Choices ----------------------------------------------------------------------------------------------------------

/** What else can stand where an edit was made, or nothing new at all; later edits that no longer fit are left out. */
function presentChoice(edits: Edits, arch: OnnxArch, { at, to }: OnnxEdit): Choice<OnnxArch> {
  const { site } = edits.steps(arch).find((step) => step.at === at)!;
  return choiceOf(at, [BASE, ...site.options], to, (option) => {
    if (option === to) return arch;
    const changed = arch.map((edit) => (edit.at === at ? { at, to: option } : edit));
    return edits.canonical(changed.filter((edit) => edit.to !== BASE));
  });
}

/** Sequences of the network as it is now. */
function newChoices(edits: Edits, arch: OnnxArch): Choice<OnnxArch>[] {
  const taken = new Set(arch.map(({ at }) => at));
  const sites = [...edits.graph(arch).sites.values()].filter(({ label }) => !taken.has(label));
  return sites.map(({ label, options }) => {
    const choice = choiceOf(label, [BASE, ...options], BASE, (to): OnnxArch | undefined => {
      if (to === BASE) return arch;
      let isRefused = false;
      const made = edits.canonical([...arch, { at: label, to }], () => {
        isRefused = true;
      });
      return isRefused ? undefined : made;
    });
    return { ...choice, isAsOrigin: true };
  });
}

function sampled(space: Space<OnnxArch>, random: Random): OnnxArch {
  let arch: OnnxArch = [];
  for (let left = random.below(SAMPLED_EDITS); left > 0; left--) arch = mutantOf(space, arch, random) ?? arch;
  return arch;
}

/** Some edits of one, then some of the other as far as they still fit. */
function crossed(edits: Edits, a: OnnxArch, b: OnnxArch, random: Random): OnnxArch {
  if (keyOf(a) === keyOf(b)) return a;
  const chosen = a.filter(() => random.chance(0.5));
  const more = b.filter(({ at }) => random.chance(0.5) && !chosen.some((edit) => edit.at === at));
  return edits.canonical([...chosen, ...more]);
}

// Texts ------------------------------------------------------------------------------------------------------------

function parsed(text: string, edits: Edits): OnnxArch {
  const [first, ...rest] = text.trim().split(';');
  if (first !== BASE) throw archError(NAME, text, `it must begin with '${BASE}'`);
  const given = rest.map((edit): OnnxEdit => {
    const [at = '', to, ...more] = edit.split('=');
    if (to !== undefined && more.length === 0) return { at, to };
    throw archError(NAME, text, `'${edit}' must read node=option or first..last=option`);
  });
  return edits.canonical(given, ({ at, to }, why, site) => {
    if (why === 'twice') throw archError(NAME, text, `'${at}' is edited twice`);
    if (why === 'no option' && site !== undefined) {
      throw archError(NAME, text, `'${at}' cannot become '${to}'`, `choose from ${site.options.join(', ')}`);
    }
    const some = [...edits.graph([]).sites.keys()].slice(0, 5).join(', ');
    throw archError(
      NAME,
      text,
      `no rule applies to '${at}'`,
      some === ''
        ? 'no rule applies to any node of this file'
        : `the first places that can be edited: ${some}`,
    );
  });
}

function defaultsOf(inference: Inference): SpaceDefaults {
  const { input, output } = outerShapes(inference);
  const number = (d: Dim | undefined): number => (isKnown(d) ? d : 0);
  const type = inference.graph.types.get(inference.graph.inputNames[0] ?? '');
  return {
    resolution: number(input.at(-1)),
    classes: number(output.at(-1)),
    input: isTensor(type) && isInteger(type.dtype) ? 'tokens' : 'image',
  };
}
