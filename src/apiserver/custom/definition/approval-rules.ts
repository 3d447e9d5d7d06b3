/**
 * Validates the approval annotation that definitions in groups of the Kubernetes community (*.k8s.io) need:
 * it names the approval, or says that there is none.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { metadataOf } from '../../objects/metadata.ts';
import { invalidField, required, type FieldErrors } from '../../../api/validation/field-errors.ts';
import { readStruct, readText } from '../../../api/validation/json-reading.ts';

const ANNOTATION = 'api-approved.kubernetes.io';
const FIELD = `metadata.annotations[${ANNOTATION}]`;
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';
const PROTECTED = /(?:^|\.)(?:k8s|kubernetes)\.io$/;

type Approval = 'missing' | 'invalid' | 'bypassed' | 'approved';

export function* validateApproval(object: JsonObject, old: JsonObject | undefined): FieldErrors {
  if (!PROTECTED.test(readText(readStruct(object['spec'])['group']))) return;
  const approval = approvalOf(object);
  if (old && approvalOf(old) === approval) return;
  const wanted = `protected groups must have approval annotation ${JSON.stringify(ANNOTATION)}`;
  if (approval === 'missing') yield required(FIELD, `${wanted}, ${SEE}`);
  if (approval !== 'invalid') return;
  const how = 'with either a URL or a reason starting with "unapproved"';
  yield invalidField(FIELD, annotationOf(object), `${wanted} ${how}, ${SEE}`);
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
