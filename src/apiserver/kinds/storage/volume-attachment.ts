/** Defines the kind VolumeAttachment: its validation and columns. */
import { booleanColumn, textColumn } from '../../objects/columns.ts';
import { textAt, valueAt } from '../../objects/field-path.ts';
import { withoutStatus } from '../lifecycle.ts';
import { validateUnchanged } from '../number-rules.ts';
import { AGE, NAME, plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import { validateRequired } from '../required-fields.ts';
import { readFlag } from '../../../api/validation/json-reading.ts';

export const volumeAttachments = plainKind('storage.k8s.io/v1', {
  kind: 'VolumeAttachment',
  resource: 'volumeattachments',
  subresources: [statusSubresource('VolumeAttachment')],
  rules: {
    versionRequired: true,
    prepareForCreate: withoutStatus,
    validate: (object) => [...validateRequired(object, ['spec.attacher', 'spec.nodeName'])],
    validateUpdate: (object, old) => [...validateUnchanged(object, old, ['spec'])],
  },
  columns: [
    NAME,
    {
      ...textColumn('Attacher', 'Who attaches it.', (object) => textAt(object, 'spec.attacher')),
      format: 'name',
    },
    textColumn('PV', 'The volume.', (object) => textAt(object, 'spec.source.persistentVolumeName')),
    textColumn('Node', 'The node.', (object) => textAt(object, 'spec.nodeName')),
    booleanColumn('Attached', 'Whether it is there.', (object) =>
      readFlag(valueAt(object, 'status.attached')),
    ),
    AGE,
  ],
});
