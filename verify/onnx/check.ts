// All checks of one test.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readModel } from '../../src/onnx/file.js';
import { encodeModel } from '../../src/onnx/write.js';
import { AuspexError } from '../../src/util/errors.js';
import { readDataSets, type TestModel, testId } from './corpus.js';
import { withoutDeclarations } from './declarations.js';
import { differenceWhenRead } from './identity.js';
import { checkRuntime, feedsOf, type RuntimeResult } from './runtime.js';
import { checkShapes, type ShapeResult } from './shapes.js';
import { checkSymbolic } from './symbolic.js';
import { checkTransformations, type TransformCheck } from './transformations.js';
import { checkUpgrade, type UpgradeResult } from './upgrade.js';

export interface TestResult {
  readonly id: string;
  readonly suite: string;
  readonly shapes: ShapeResult;
  readonly symbolic: ShapeResult;
  /** Where the model differs after it was written and read again; undefined when it does not. */
  readonly rewriteDifference?: string;
  /** Undefined when ONNX Runtime was not asked. */
  readonly runtime?: RuntimeResult;
  /** Undefined when ONNX Runtime was not asked, or the model is new enough. */
  readonly upgrade?: UpgradeResult;
  readonly transformations?: readonly TransformCheck[];
}

export async function checkTest(test: TestModel, withRuntime: boolean): Promise<TestResult> {
  const { suite } = test;
  const id = testId(test);
  try {
    const path = join(test.folder, 'model.onnx');
    const model = readModel(path);
    const dataSets = readDataSets(test, model);
    const bare = withoutDeclarations(model);
    const rewritten = encodeModel(model);
    const rewriteDifference = differenceWhenRead(model, rewritten);
    const original = readFileSync(path);
    const upgrade = withRuntime ? await checkUpgrade(model, original, dataSets) : undefined;
    return {
      id,
      suite,
      shapes: checkShapes(bare, dataSets),
      symbolic: checkSymbolic(test.name, bare, dataSets[0]!),
      ...(rewriteDifference === undefined ? undefined : { rewriteDifference }),
      ...(withRuntime ? { runtime: await checkRuntime(model, original, rewritten, dataSets) } : undefined),
      ...(upgrade && { upgrade }),
      ...(withRuntime
        ? { transformations: await checkTransformations(model, feedsOf(model, dataSets[0]!)) }
        : undefined),
    };
  } catch (error) {
    const text = error instanceof AuspexError ? error.describe() : String(error);
    const wrong: ShapeResult = { verdict: 'wrong', error: text };
    return { id, suite, shapes: wrong, symbolic: wrong };
  }
}
