/**
 * ConversionReview: builds the request to a conversion webhook, and checks the response as kube-apiserver
 * does.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { readStruct, readText } from '../../../api/validation/json-reading.ts';

export type ConversionReviewVersion = 'v1' | 'v1beta1';

const GROUP = 'apiextensions.k8s.io';
const KIND = 'ConversionReview';

/** The first version that both sides know; undefined: there is none. */
export function reviewVersionOf(versions: readonly string[]): ConversionReviewVersion | undefined {
  return versions.find((version) => version === 'v1' || version === 'v1beta1');
}

/** The text of a review, as Go prints it: with an empty response. `objects`: each as text. */
export function conversionReviewText(
  version: ConversionReviewVersion,
  uid: string,
  objects: readonly string[],
  desiredApiVersion: string,
): string {
  const [id, desired] = [JSON.stringify(uid), JSON.stringify(desiredApiVersion)];
  const request = `{"uid":${id},"desiredAPIVersion":${desired},"objects":[${objects.join(',')}]}`;
  const response = '{"uid":"","convertedObjects":null,"result":{"metadata":{}}}';
  const head = `"kind":"${KIND}","apiVersion":"${GROUP}/${version}"`;
  return `{${head},"request":${request},"response":${response}}`;
}

/** The converted objects, each as it came. Throws an Error that says what is wrong with the answer. */
export function readConversionReview(
  review: Json,
  version: ConversionReviewVersion,
  uid: string,
): readonly Json[] {
  const given = isJsonObject(review) ? review : {};
  if (version === 'v1') checkKind(given);
  const { response } = given;
  if (!isJsonObject(response)) throw new Error('no response provided');
  // Webhooks of v1beta1 need not repeat the UID.
  if (version === 'v1') checkUid(readText(response['uid']), uid);
  checkResult(readStruct(response['result']));
  const { convertedObjects } = response;
  return Array.isArray(convertedObjects) ? convertedObjects : [];
}

function checkKind(review: JsonObject): void {
  const wanted = `${GROUP}/v1, Kind=${KIND}`;
  const apiVersion = readText(review['apiVersion']);
  const found = `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${readText(review['kind'])}`;
  if (found !== wanted) throw new Error(`expected webhook response of ${wanted}, got ${found}`);
}

function checkUid(given: string, wanted: string): void {
  if (given === wanted) return;
  throw new Error(`expected response.uid=${JSON.stringify(wanted)}, got ${JSON.stringify(given)}`);
}

function checkResult(result: JsonObject): void {
  const status = readText(result['status']);
  if (status === 'Success') return;
  const message = readText(result['message']);
  throw new Error(message || `response.result.status was '${status}', not 'Success'`);
}
