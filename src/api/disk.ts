// The library under Node: files, bundled predictors, threads. Importing this file makes them available.
import { availableParallelism } from 'node:os';
import { BundledPredictors, bundledTrunk } from '../app/bundled.js';
import { equalRows } from '../app/equal-rows.js';
import { familyOf } from '../app/families.js';
import { diskResolver, listedFiles } from '../app/resolve.js';
import { GivenSamples } from '../app/score/samples.js';
import { scoreByPlan } from '../app/score/score.js';
import { readModel } from '../onnx/file.js';
import { loadPredictor } from '../store/predictor-file.js';
import { readTableFile } from '../store/table-file.js';
import { TrialLog } from '../store/trial-log.js';
import { useEnvironment } from './environment.js';

/** More threads do not make the training of small models faster. */
const MOST_THREADS = 8;

useEnvironment({
  resolver: () => diskResolver({ isKeptOpen: true }),
  listed: listedFiles,
  readModel,
  loadPredictor,
  readTable: readTableFile,
  bundled: (options) => new BundledPredictors(options),
  trunk: bundledTrunk,
  familyOf,
  equalRows,
  samples: (plan) => new GivenSamples(plan),
  scorePool: scoreByPlan,
  searchLog: (path, resume) => TrialLog.open(path, { resume }),
  threads: () => Math.min(availableParallelism(), MOST_THREADS),
});
