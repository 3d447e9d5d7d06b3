/** What the tests can run against; docs/testing.md has the table. */
export const SET_UPS = ['up', 'up-managed', 'kubelet', 'kubelet-real'] as const;

export type SetUpName = (typeof SET_UPS)[number];

export function isSetUpName(text: string): text is SetUpName {
  return SET_UPS.some((name) => name === text);
}
