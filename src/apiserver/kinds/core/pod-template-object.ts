/** Defines the kind PodTemplate: a pod template as a separate object. */
import { containerColumns, printLabels, textColumn } from '../../objects/columns.ts';
import { changeStructAt, structAt, valueAt } from '../../objects/field-path.ts';
import { startGenerations } from '../lifecycle.ts';
import { NAME, plainKind } from '../../objects/plain-kind.ts';
import { templateWarnings } from '../pod/warnings/template-warnings.ts';
import { defaultPodTemplate, validatePodTemplate } from '../pod-template-spec.ts';

export const podTemplates = plainKind('v1', {
  kind: 'PodTemplate',
  resource: 'podtemplates',
  rules: {
    ...templateWarnings('template', false),
    applyDefaults: (object) => changeStructAt(object, 'template', defaultPodTemplate),
    prepareForCreate: startGenerations,
    validate: (object) => [...validatePodTemplate(structAt(object, 'template'), 'template')],
    validateUpdate: (object, old) => [
      ...validatePodTemplate(structAt(object, 'template'), 'template', structAt(old, 'template')),
    ],
  },
  columns: [
    NAME,
    ...containerColumns('template.spec.containers').map((column) => ({
      ...column,
      priority: 0 as const,
    })),
    textColumn('Pod Labels', 'The labels that its pods get.', (object) =>
      printLabels(valueAt(object, 'template.metadata.labels')),
    ),
  ],
});
