// All views. Adding one is a line here.
import './cell.js';
import './computation-graph/view.js';
import './nnlqp/view.js';
import './features.js';
import './layers/view.js';
import './joined.js';

export {
  type EncodeOptions,
  type GraphSet,
  type InputShapes,
  registerView,
  type View,
  viewNamed,
} from './view.js';
