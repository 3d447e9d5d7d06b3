/**
 * Watches, and waiting for changes of others. A watch shows something immediately, which proves that it
 * has begun: the changes during it must not come before it.
 */
import { kubectl, type Chapter } from '../step.ts';

const READY = `{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`;

export const watching: Chapter = {
  title: 'watching',
  namespace: 'watching',
  steps: [
    kubectl('create -f $FIXTURES/pod.yaml'),
    kubectl('get pods --watch -L stage', {
      during: ['label pod web stage=one', 'label pod web stage=two --overwrite'],
      until: /two/,
    }),
    kubectl('create configmap first'),
    kubectl('label configmap first watched=yes'),
    kubectl('get configmaps -l watched=yes --watch --output-watch-events', {
      during: [
        'create configmap second',
        'label configmap second watched=yes',
        'label configmap second more=yes',
        'label configmap second watched-',
        'delete configmap first',
      ],
      until: /DELETED +first/,
    }),
    kubectl('get pods --field-selector=metadata.name=web --watch -o json', {
      during: ['annotate pod web seen=yes', 'create -f $FIXTURES/other-pod.yaml'],
      until: /"seen"/,
    }),
    kubectl('get pod web --watch -o jsonpath={.metadata.labels.stage},', {
      during: ['label pod web stage=three --overwrite'],
      until: /three/,
    }),
    kubectl('wait --for=condition=Ready pod/web --timeout=1s'),
    kubectl('wait --for=condition=Ready pod/nothing --timeout=1s'),
    kubectl('wait --for=condition=Ready pod -l app=nothing --timeout=1s'),
    kubectl(`patch pod web --subresource=status -p '${READY}'`),
    kubectl('wait --for=condition=Ready pod/web --timeout=10s'),
    kubectl('wait --for=condition=Ready=false pod/web --timeout=1s'),
    kubectl(`wait --for=jsonpath='{.status.phase}'=Pending pod/web --timeout=10s`),
    kubectl('wait --for=create configmap/second --timeout=10s'),
    kubectl('wait --for=delete pod/web --timeout=1s'),
    kubectl('delete pod web --wait=false'),
    kubectl('wait --for=delete pod/web --timeout=30s'),
    kubectl('get events'),
    kubectl('events'),
  ],
};
