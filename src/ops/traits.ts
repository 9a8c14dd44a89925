// What kinds of operators there are, for everything above `ops/`: one table of facts, stated where an operator is
// defined. Nothing above asks for operators by name where a trait says what it wants to know.
//
// | trait             | says                                                     | asked by                           |
// |-------------------|----------------------------------------------------------|------------------------------------|
// | moves             | how elements of an input become elements of the output   | constants, weights, views, patterns|
// | reshapes          | how an operator that moves by `shape` says the new one   | other batches                      |
// | isView            | the first output shares the memory of the first input    | cost, liveness                     |
// | activation        | an elementwise function of one input, and which          | activation proxies, edits of files |
// | isElementwise     | one element of each input, broadcast, makes one          | other batches                      |
// | arithmetic        | elementwise arithmetic with broadcasting, and which      | patterns, residual sums, scales    |
// | normalisation     | over what it takes its statistics                        | weights, normalisations, axes      |
// | pooling           | what a window keeps, and how large it is                 | features, layers                   |
// | reduction         | what is kept of the axes that disappear                  | features, normalisations in parts  |
// | convolution       | plain, transposed or deformable                          | layers, fans, axes of channels     |
// | product           | how its matrices are written                             | layers, attention                  |
// | softmax           | itself or its logarithm                                  | attention, logits                  |
// | isLinear          | a linear function of its first input, no other trait     | flows in powers of two             |
// | recurrent         | a layer that goes through a sequence                     | weights                            |
// | attention         | scores, softmax and weighted values in one operator      | blocks of transformers             |
// | marks             | 1 where an index, or an equal number, stands             | tables that tokens are looked up in|
// | ignoresElementsOf | inputs of which only size and type are looked at         | what depends on the input          |
// | draws             | random numbers: always, or in training only              | seeds, common subexpressions       |
// | typeAttribute     | the attribute that names the element type of the output  | wider types of floats              |
// | sequence          | how it makes or takes apart a sequence of tensors        | flattening                         |
// | controlFlow       | which graphs of its own it runs                          | flattening                         |
// | range             | numbers that its output lies between                     | dequantising                       |
// | rounds            | to whole numbers                                         | dequantising                       |
// | selects           | what it gives, or how much, is chosen by comparing data  | cutting off post-processing        |
// | float32           | that it takes no narrower floats, or which inputs do not | networks in float16                |
// | knowsPlaces       | what it gives depends on where in its axes an element is | other batches                      |
// | isConstant        | its output is in its attributes                          | constants, cost, liveness, hash    |

/** How elements of the first input (of all inputs for `join`) become elements of the outputs. */
export type Movement =
  /** As they are; Dropout in a network that is used. */
  | 'same'
  /** As another type. */
  | 'type'
  /** In the same order, under another shape. */
  | 'shape'
  /** With the axes in another order. */
  | 'axes'
  /** In another layout in memory, of the same meaning. */
  | 'layout'
  /** Repeated along axes of size 1, as elementwise operators repeat them anyway. */
  | 'broadcast'
  /** Repeated along any axis. */
  | 'repeat'
  /** Some of them, by position. */
  | 'part'
  /** Whole slices along one axis, by indices that are an input: rows of a table. */
  | 'rows'
  /** Single elements or parts, by indices that are an input. */
  | 'lookup'
  /** Together with those of other inputs. */
  | 'join'
  /** With others around them. */
  | 'pad'
  /** Rounded to, or scaled back from, integers: the only movement that computes. */
  | 'quantisation';

/** How a new shape is told. */
type Reshaping =
  /** Size by size. */
  | 'target'
  /** By an axis: what is in front of it, and the rest. */
  | 'flat'
  /** Without some axes of size 1. */
  | 'drops'
  /** With more axes of size 1. */
  | 'inserts';

export type Activation =
  /** Nearly 0 on one side and nearly the identity on the other: ReLU, GELU, SiLU, ELU … */
  | 'rectifier'
  /** From 0 to 1: x·f(x) is a rectifier. */
  | 'sigmoid'
  /** From −1 to 1. */
  | 'tanh'
  | 'erf'
  | 'softsign'
  /** ln(1 + eˣ). */
  | 'softplus'
  /** Between two bounds. */
  | 'clip';

export type Arithmetic =
  | 'add'
  | 'subtract'
  | 'multiply'
  | 'divide'
  | 'power'
  | 'root'
  | 'reciprocal'
  | 'minimum'
  | 'maximum'
  | 'remainder'
  /** One of two values, by a condition. */
  | 'select';

/** What mean and variance, or a norm, are taken over. */
type Normalisation =
  /** All samples and positions of a channel, or running statistics of them. */
  | 'batch'
  /** Positions of one sample and channel. */
  | 'instance'
  /** Positions of one sample and a group of channels. */
  | 'group'
  /** Channels of one position. */
  | 'layer'
  /** Neighbouring channels. */
  | 'local'
  /** Axes that an attribute names. */
  | 'axes';

export interface Pooling {
  readonly keeps: 'average' | 'maximum' | 'norm';
  readonly over: 'window' | 'image';
}

type Reduction = 'mean' | 'sum' | 'maximum' | 'other';

export interface Traits {
  readonly moves?: Movement;
  readonly reshapes?: Reshaping;
  readonly isView?: true;
  readonly isElementwise?: true;
  readonly activation?: Activation;
  readonly arithmetic?: Arithmetic;
  readonly normalisation?: Normalisation;
  readonly pooling?: Pooling;
  readonly reduction?: Reduction;
  readonly convolution?: 'plain' | 'transposed' | 'deformable';
  /** `matmul`: numpy's; `gemm`: of two matrices, with a third added; `einsum`: by an equation; `packed`: of weights in few bits. */
  readonly product?: 'matmul' | 'gemm' | 'einsum' | 'packed';
  readonly softmax?: 'plain' | 'logarithm';
  readonly isLinear?: true;
  readonly recurrent?: true;
  readonly attention?: true;
  /** `index`: of an axis as long as a depth that is given; `equal`: of two inputs. */
  readonly marks?: 'index' | 'equal';
  /** Names of inputs. */
  readonly ignoresElementsOf?: readonly string[];
  readonly draws?: 'always' | 'inTraining';
  /** The name of an attribute. */
  readonly typeAttribute?: string;
  readonly sequence?: 'construct' | 'split' | 'at' | 'concat';
  /** `branch`: one of several bodies runs; `loop`: one runs again and again. */
  readonly controlFlow?: 'branch' | 'loop';
  /** The lowest and the highest number of its first output, whatever goes in. */
  readonly range?: readonly [number, number];
  /** Gives the whole number above, below or nearest. */
  readonly rounds?: true;
  /** Chooses elements, or their places, by comparing what goes in: what a detector does to its boxes at the end. */
  readonly selects?: true;
  /** Takes float32 and no float16; or the names of inputs that do. */
  readonly float32?: true | readonly string[];
  /** `all`: on the place in all axes; `matrix`: on that in the last two. */
  readonly knowsPlaces?: 'all' | 'matrix';
  readonly isConstant?: true;
}
