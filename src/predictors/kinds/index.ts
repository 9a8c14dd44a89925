// All kinds of predictors, the ones for cells first. Adding one is a line here.
import './nn-former.js';
import './nar-former-v2.js';
import './gcn.js';
import './sage.js';
import './nn-former-network.js';
import './nar-former-v2-network.js';
import './nnlp-network.js';
import './computation-gnns.js';
import './contrastive.js';
import './cl.js';
import './cl-pairwise.js';
import './gennape.js';
import './forest.js';
import './few-shot.js';
import './family-ranking.js';
import './linear.js';
import './gaussian-process.js';
import './arch2vec.js';
import './accuracy-model.js';
import './io-model.js';
import './embedding-regressors.js';

export {
  type FitRun,
  type Fitted,
  hasSizes,
  KINDS,
  kindNamed,
  type PredictorKind,
  type RecipeChanges,
  registerKind,
  type StepsRecipe,
  type TrainingData,
} from '../kind.js';
