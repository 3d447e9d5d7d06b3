/** Everything that an expression can call: the functions of CEL and those that Kubernetes adds. */
import { Library } from '../overload.ts';
import { authorization } from './authorization.ts';
import { conversions } from './conversions.ts';
import { formats } from './formats.ts';
import { jsonPatches } from './json-patches.ts';
import { lists } from './lists.ts';
import { networks } from './networks.ts';
import { operators } from './operators.ts';
import { optionals } from './optionals.ts';
import { quantities } from './quantities.ts';
import { regex } from './regex.ts';
import { semvers } from './semvers.ts';
import { strings } from './strings.ts';
import { times } from './times.ts';
import { urls } from './urls.ts';

export const library = new Library([
  ...operators,
  ...conversions,
  ...times,
  ...strings,
  ...regex,
  ...lists,
  ...optionals,
  ...quantities,
  ...urls,
  ...networks,
  ...formats,
  ...semvers,
  ...authorization,
  ...jsonPatches,
]);
