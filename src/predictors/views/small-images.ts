// Which networks classify small images, as those of CIFAR-10 are: what is known of their accuracy says nothing of others.
import type { Network } from '../../networks/network.js';
import { imageClassifier } from './layers/classifier.js';

/** Smaller ones are not images, and fewer outputs are not classes. */
const LEAST = { leastSide: 16, leastClasses: 2 };

/**
 * Refuses networks that do not give one number for each class of one small colour image.
 *
 * @throws AuspexError NOT_A_CLASSIFIER
 */
export function expectSmallImages(network: Network, largestSide: number): void {
  imageClassifier(network.ref, network.settled().inference().graph, { ...LEAST, largestSide });
}
