/** Everything that a rule can call: what CEL has, what Kubernetes adds, and nothing else. */
import { Library } from '../overload.ts';
import { conversions } from './conversions.ts';
import { formats } from './formats.ts';
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
]);
