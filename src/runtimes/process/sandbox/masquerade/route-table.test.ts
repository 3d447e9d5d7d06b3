import { expect, test } from 'vitest';
import { routedInterfaces } from './route-table.ts';

const ROUTES = `Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
eth0	00000000	0102000A	0003	0	0	0	00000000	0	0	0
eth0	0002000A	00000000	0001	0	0	0	00FFFFFF	0	0	0
pk-12345678	001FE70A	00000000	0001	0	0	0	00FFFFFF	0	0	0
lo	0000007F	00000000	0001	0	0	0	000000FF	0	0	0
wg0	0000100A	00000000	0001	0	0	0	0000FFFF	0	0	0
old0	0000110A	00000000	0000	0	0	0	0000FFFF	0	0	0
`;

test('interfaces that lead out of the machine are those with a route that is up', () => {
  expect(routedInterfaces(ROUTES, 'pk-')).toEqual(['eth0', 'wg0']);
  expect(routedInterfaces('', 'pk-')).toEqual([]);
});
