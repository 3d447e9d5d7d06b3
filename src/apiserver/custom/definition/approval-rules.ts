/** Groups of the Kubernetes community may only be defined by it, or by who says that they are not. */
import type { JsonObject } from '../../../lib/json.ts';
import { metadataOf } from '../../metadata.ts';
import { invalid, required, type Complaints } from '../../kinds/validation/complaint.ts';
import { readStruct, readText } from '../../kinds/validation/json-reading.ts';

const ANNOTATION = 'api-approved.kubernetes.io';
const FIELD = `metadata.annotations[${ANNOTATION}]`;
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';
const PROTECTED = /(?:^|\.)(?:k8s|kubernetes)\.io$/;

type Approval = 'missing' | 'invalid' | 'bypassed' | 'approved';

export function* validateApproval(object: JsonObject, old: JsonObject | undefined): Complaints {
  if (!PROTECTED.test(readText(readStruct(object['spec'])['group']))) return;
  const approval = approvalOf(object);
  if (old && approvalOf(old) === approval) return;
  const wanted = `protected groups must have approval annotation ${JSON.stringify(ANNOTATION)}`;
  if (approval === 'missing') yield required(FIELD, `${wanted}, ${SEE}`);
  if (approval !== 'invalid') return;
  const how = 'with either a URL or a reason starting with "unapproved"';
  yield invalid(FIELD, annotationOf(object), `${wanted} ${how}, ${SEE}`);
}

function approvalOf(object: JsonObject): Approval {
  const text = annotationOf(object);
  if (text === '') return 'missing';
  if (text.startsWith('unapproved')) return 'bypassed';
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#]+/.test(text) ? 'approved' : 'invalid';
}

function annotationOf(object: JsonObject): string {
  return readText(readStruct(metadataOf(object)['annotations'])[ANNOTATION]);
}
