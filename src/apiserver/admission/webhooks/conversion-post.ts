/**
 * Sends ConversionReviews to conversion webhooks, under the same rules as AdmissionReviews to admission
 * webhooks: the same resolution of Services, the same guards on addresses, the same certificates, no
 * redirects.
 */
import { readText } from '../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { PostReview } from '../../custom/conversion/conversion-call.ts';
import { caBundleOf, messageOfFault, postToWebhook, type PostDeps } from './webhook-post.ts';

export function conversionPoster(deps: PostDeps): PostReview {
  return async (config, body, timeoutMs) =>
    postToWebhook(config, bundleOf(config), body, timeoutMs, deps);
}

/** A bundle of white space counts as none, as in kube-apiserver. */
function bundleOf(config: JsonObject): string | null {
  const text = Buffer.from(readText(config['caBundle']), 'base64').toString('latin1');
  try {
    return text.trim() === '' ? null : caBundleOf(config);
  } catch (error) {
    throw new Error(`could not get REST client: ${messageOfFault(error)}`, { cause: error });
  }
}
