/** Freezes a value and all that is in it: code that writes into it afterwards throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const key of Reflect.ownKeys(value)) deepFreeze(Reflect.get(value, key));
  return value;
}
