// GENNAPE: six members on one encoder, each of which orders networks; their places in a pool are added up. For networks like
// those of the training all weigh the same. Two things are not in the paper, as heads say little of networks that look
// different: an order by structure, which weighs most for these; and, trained further on some labels of a family, a regression
// for few labels on features of the structure.
import type { Weights } from '../../nn/trainer.js';
import { AuspexError } from '../../util/errors.js';
import { entriesModel, weightsWithin } from '../entries.js';
import { topOf } from '../family-curve.js';
import { OPSETS } from '../feature-model.js';
import { ENCODER } from '../gennape/encoder.js';
import { changedOptions, type FitRun, type PredictorKind, registerKind } from '../kind.js';
import { KIND_TITLES } from '../kind-titles.js';
import { column } from '../labels.js';
import type { Entry, Json, LabelInfo, Predictor } from '../predictor.js';
import { Runner } from '../runner.js';
import { type TrainedMember, trainStages } from '../train.js';
import { besideHeads } from './gennape-beside.js';
import { entriesOf } from './gennape-entries.js';
import { OPTIONS, type Options } from './gennape-options.js';
import { partsOf } from './gennape-parts.js';
import { agreeing, untold } from './gennape-weights.js';
import { expectEncoder, fitHeads, type HeadRows, headSteps, STRUCTURE_VIEW } from './head-kind.js';

const NAME = 'gennape';
/** Labels that it takes to say how members agree with them. */
const LEAST_LABELS = 5;

function modelOf(changes: object | undefined, from?: Predictor): Options {
  const own =
    from?.info.kind === NAME ? (from.info.recipe as unknown as { model: Options }).model : undefined;
  return changedOptions(
    gennapeKind,
    own ?? OPTIONS.parse({}),
    changes as Record<string, unknown> | undefined,
  );
}

export const gennapeKind: PredictorKind<Options> = registerKind({
  name: NAME,
  title: KIND_TITLES.gennape,
  paper: 'Mills et al., AAAI 2023',
  summary: 'any network: ensemble of members on one encoder',
  views: [STRUCTURE_VIEW],
  learns: 'labels',
  options: OPTIONS,
  recipe: (rows, changes = {}, from) => {
    expectEncoder(NAME, from);
    modelOf(changes.model, from);
    return { ...headSteps(rows, changes, from?.info.kind === NAME), members: 1 };
  },
  async fit(data, changes, run) {
    const model = modelOf(changes.model, data.from);
    const steps = gennapeKind.recipe!(data.networks.count, changes, data.from);
    return fitHeads(
      { name: NAME, title: KIND_TITLES.gennape, seesStructure: true },
      model,
      data,
      changes,
      run,
      async (rows) => {
        if (rows.isFurther) expectLabels(column(rows.prepared.labels, 0));
        const parts = partsOf(rows, model);
        const trained: TrainedMember[] = [];
        const weights = new Map<string, Float32Array>();
        for (const [place, { name, stage }] of parts.entries()) {
          const start = rows.isFurther ? weightsWithin(data.from!.model, `${name}.`) : undefined;
          const kept = start && fitting(start, data.from!, rows);
          const [member] = await trainStages(
            [
              {
                ...stage(steps),
                name,
                ...(kept ? { start: () => [kept] } : {}),
              },
            ],
            1,
            within(run, place, parts.length),
          );
          trained.push(member!);
          for (const [key, values] of member!.weights) weights.set(`${name}.${key}`, values);
        }
        const beside = await besideHeads(rows, data.from, run);
        const entries = entriesOf(rows, parts, model, beside);
        const graph = entriesModel(entries, weights, beside.fewShot && OPSETS);
        const runner = new Runner(graph, { threads: run.threads });
        const ensemble = rows.isFurther ? await agreeing(model, runner, rows) : untold(model);
        await runner.dispose();
        return {
          model: graph,
          members: trained,
          recipe: { ...steps, model } as unknown as Json,
          describe: (info) => {
            const { view, state } = info.entries[0]!;
            const more = entries.slice(1).map(
              ({ name, gives }): Entry => ({
                ...(name === undefined ? {} : { name }),
                gives,
                ...(gives === 'preference'
                  ? { view: 'latent', state: { width: model.latent } }
                  : name === ENCODER
                    ? { view: rows.encoder.view, state: rows.encoder.state }
                    : { view, state }),
              }),
            );
            const labels = ensemble.near === undefined ? info.labels : info.labels.map(widened);
            return { ...info, labels, entries: [...info.entries, ...more], ensemble };
          },
        };
      },
    );
  },
});

/** An interval for networks like those of the training; of others the value may be anything. */
function widened(label: LabelInfo): LabelInfo {
  const { interval, unit, better } = label;
  const top = topOf({ better: [better], units: [unit] }, 0);
  if (interval === undefined || top === undefined) return label;
  const { coverage, rows, groups } = interval;
  const own = Math.max(...groups.map(({ halfWidth }) => halfWidth));
  return {
    ...label,
    interval: {
      ...{ coverage, rows, by: 'distance', within: [0, top] },
      groups: [{ upTo: 1, halfWidth: own }, { halfWidth: top }],
    },
  };
}

/** Weights that fit as many labels as there are now. */
function fitting(start: Map<string, Float32Array>, from: Predictor, { prepared }: HeadRows): Weights {
  if (from.info.labels.length === prepared.labels.names.length) return start;
  return new Map([...start].filter(([name]) => !/^(out|head\.4)\./.test(name)));
}

/** Refuses so few labels that no member can be told from another. */
function expectLabels(truths: Float64Array): void {
  const known = truths.filter((y) => !Number.isNaN(y));
  if (known.length >= LEAST_LABELS) return;
  throw new AuspexError(
    'LABEL_TOO_FEW',
    `only ${known.length} rows have the label; ${LEAST_LABELS} are needed to weigh the members of GENNAPE`,
    { hint: 'give more rows; without any, the predictor is used as it is' },
  );
}

function within(run: FitRun, place: number, count: number): FitRun {
  return {
    ...run,
    onProgress: (progress) => run.onProgress?.({ ...progress, part: (place + progress.part) / count }),
  };
}
