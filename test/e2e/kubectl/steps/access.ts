/** Who one is, what one may do, and how a refusal looks. */
import { kubectl, type Chapter } from '../step.ts';

const WITH_TOKEN = '--kubeconfig=/dev/null --server=$SERVER --insecure-skip-tls-verify';

const SECOND_ROLE = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: reader
  namespace: access
rules:
  - apiGroups: [""]
    resources: [pods, configmaps]
    verbs: [get, list]
`;

export const access: Chapter = {
  title: 'access',
  namespace: 'access',
  steps: [
    kubectl('auth whoami -o jsonpath={.status.userInfo.groups}'),
    kubectl('auth whoami --as=alice --as-group=crew -o yaml'),
    kubectl('auth can-i create pods'),
    kubectl('auth can-i create pods --as=alice'),
    kubectl('auth can-i --list --as=alice', { view: 'set' }),
    kubectl('auth can-i fly pods'),
    kubectl('auth can-i get /healthz --as=alice'),
    kubectl('auth can-i get nothings --as=alice'),
    kubectl('get pods --as=alice'),
    kubectl('get pods -A --as=alice'),
    kubectl('get nodes --as=alice'),
    kubectl('create configmap x --as=alice'),
    kubectl('delete configmap x --as=alice'),
    kubectl('get --raw /metrics --as=alice'),
    kubectl('get --raw /version --as=alice', { view: 'code' }),
    kubectl('create serviceaccount robot'),
    kubectl('create role reader --verb=get,list --resource=pods'),
    kubectl('create rolebinding reading --role=reader --serviceaccount=access:robot'),
    kubectl('auth can-i list pods --as=system:serviceaccount:access:robot', { until: /yes/ }),
    kubectl('get pods --as=system:serviceaccount:access:robot'),
    kubectl('get pods --as=system:serviceaccount:access:robot -n default'),
    kubectl('delete pods --all --as=system:serviceaccount:access:robot'),
    kubectl('auth can-i list pods/log --as=system:serviceaccount:access:robot'),
    kubectl('create token robot', { save: 'TOKEN' }),
    kubectl('create token nobody'),
    kubectl('create token robot --duration=1s'),
    kubectl('create token robot --audience=elsewhere --duration=1h', { save: 'OTHER' }),
    kubectl(`auth whoami ${WITH_TOKEN} --token=$TOKEN`),
    kubectl(`get pods ${WITH_TOKEN} --token=$TOKEN`),
    kubectl(`get secrets ${WITH_TOKEN} --token=$TOKEN`),
    kubectl(`get pods ${WITH_TOKEN} --token=$OTHER`),
    kubectl(`get pods ${WITH_TOKEN} --token=nonsense`),
    kubectl('get pods --as=system:anonymous --as-group=system:unauthenticated'),
    kubectl('get --raw /livez --as=system:anonymous --as-group=system:unauthenticated'),
    kubectl('auth reconcile -f -', { stdin: SECOND_ROLE }),
    kubectl('get role reader -o yaml'),
    kubectl(
      'create role grand --verb=* --resource=secrets --as=system:serviceaccount:access:robot',
    ),
    kubectl(
      'create clusterrole e2e-maker --verb=create --resource=roles.rbac.authorization.k8s.io',
    ),
    kubectl('create clusterrolebinding e2e-maker --clusterrole=e2e-maker --user=maker'),
    kubectl('auth can-i create roles --as=maker', { until: /yes/ }),
    kubectl('create role grand --verb=get --resource=secrets --as=maker'),
    kubectl('get clusterroles -o name --sort-by=.metadata.name', { until: /system:node/ }),
    kubectl('get clusterrolebindings -o name --sort-by=.metadata.name', { until: /system:node/ }),
    kubectl('get clusterrole view -o yaml', { until: /aggregate-to-view[^]*pods/ }),
    kubectl('get clusterrole system:basic-user -o yaml'),
    kubectl('get secrets --as=system:admin --as-group=system:masters'),
  ],
};
