import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { type GraphText, modelOf, tensor } from '../../../analysis/models.testing.js';
import { AuspexError } from '../../../util/errors.js';
import { imageClassifier } from './classifier.js';

/** A stem and a head; what differs is given. */
function network({
  input = 'x: 1,3,64,64',
  before = [] as string[],
  image = 'x',
  classes = 1000,
  after = [] as string[],
  outputs = ['y'],
}): GraphText {
  return {
    inputs: [input],
    nodes: [
      ...before,
      `a = Conv(${image}, stem) strides=2,2 pads=1,1,1,1`,
      'p = GlobalAveragePool(a)',
      'f = Flatten(p)',
      'y = MatMul(f, head)',
      ...after,
    ],
    outputs,
    initializers: [tensor('stem', [8, 3, 3, 3]), tensor('head', [8, classes]), tensor('boxes', [8, 4])],
  };
}

const found = (text: GraphText) => imageClassifier('net.onnx', inferShapes(modelOf(text)).graph);

function refusal(text: GraphText): string {
  try {
    found(text);
  } catch (error) {
    if (error instanceof AuspexError && error.code === 'NOT_A_CLASSIFIER') return error.message;
    throw error;
  }
  return '';
}

describe('image classifiers', () => {
  it('have one image and a number for each class', () => {
    expect(found(network({}))).toMatchObject({
      image: { height: 64, width: 64 },
      classes: 1000,
      assumed: [],
    });
  });

  it('may have other classes, which is told', () => {
    const { classes, assumed } = found(network({ classes: 37 }));
    expect([classes, assumed]).toEqual([
      37,
      ['its 37 outputs are classes, and it would have 1,000 of them for ImageNet'],
    ]);
  });

  it('may take channels last', () => {
    const text = network({
      input: 'x: 1,64,96,3',
      before: ['t = Transpose(x) perm=0,3,1,2'],
      image: 't',
    });
    expect(found(text).image).toEqual({ height: 64, width: 96 });
  });

  it('may give features and probabilities besides', () => {
    const text = network({ after: ['z = Softmax(y)'], outputs: ['f', 'y', 'z'] });
    expect(found(text)).toMatchObject({ classes: 1000, assumed: ["the output 'y' has the classes"] });
  });

  it.each<[string, GraphText, string]>([
    [
      'boxes',
      network({ after: ['b = MatMul(f, boxes)'], outputs: ['y', 'b'] }),
      "outputs besides classes: 'b'",
    ],
    ['maps', network({ outputs: ['a'] }), 'not one number for each class'],
    ['small images', network({ input: 'x: 1,3,32,32' }), 'takes images of 32 x 32 pixels, not of 64 or more'],
    [
      'gray images',
      network({ input: 'x: 1,1,64,64', before: ['g = Concat(x, x, x) axis=1'], image: 'g' }),
      'not a colour image',
    ],
    [
      'several heads',
      network({ classes: 66, after: ['b = MatMul(f, head)'], outputs: ['y', 'b'] }),
      "outputs besides classes: 'y'",
    ],
    ['few outputs', network({ classes: 4 }), 'gives 4 numbers, fewer than the 10 classes'],
    ['embeddings', network({ classes: 512 }), 'an embedding rather than classes'],
    [
      'landmarks',
      network({ classes: 136, after: ['landmarks = Relu(y)'], outputs: ['landmarks'] }),
      'not one number for each class',
    ],
    ['two inputs', { ...network({}), inputs: ['x: 1,3,64,64', 'q: 1,4'] }, 'has 2 inputs'],
    ['tokens', { ...network({}), inputs: ['x: 1,12'], nodes: ['y = Relu(x)'] }, 'not a colour image'],
  ])('are not told by %s', (_, text, why) => {
    expect(refusal(text)).toContain(why);
  });

  it('have a path from the image to the classes', () => {
    const text: GraphText = {
      inputs: ['x: 1,3,64,64'],
      nodes: ['r = Relu(x)', 'y = Relu(c)'],
      outputs: ['y'],
      initializers: [tensor('c', [1, 1000])],
    };
    expect(refusal(text)).toContain('has no path from its input to an output');
  });

  it('have layers, and floats', () => {
    const plain: GraphText = {
      inputs: ['x: 1,3,64,64'],
      nodes: ['p = GlobalAveragePool(x)', 'f = Flatten(p)', 'y = MatMul(f, w)'],
      outputs: ['y'],
      initializers: [tensor('w', [3, 1000])],
    };
    expect(refusal(plain)).toContain('has no layers that see an image');
    const integers: GraphText = { inputs: ['x: 1,3,64,64'], nodes: ['y = Shape(x)'], outputs: ['y'] };
    expect(refusal(integers)).not.toBe('');
  });
});
