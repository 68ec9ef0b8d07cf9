/** What expressions may use in each release: its functions and its syntax. */
import type { Environment } from '../check/environment.ts';
import { functionsOf, type Functions, type Overload } from '../language/functions.ts';
import { macrosOf } from '../language/macros.ts';
import type { CelType } from '../language/types.ts';
import { apiLists, languageLists } from './extended-lists.ts';
import { formats } from './formats.ts';
import { addresses, ranges } from './net.ts';
import { mixedOrder } from './operators.ts';
import { optionals } from './optional.ts';
import { searches } from './patterns.ts';
import { quantities } from './quantity.ts';
import { semvers } from './semver.ts';
import { sets } from './sets.ts';
import { standard } from './standard.ts';
import { laterStrings, strings } from './strings.ts';
import { urls } from './urls.ts';

/** Libraries by the minor release that brought them. */
const libraries: readonly (readonly [since: number, overloads: readonly Overload[]])[] = [
  [0, [...standard, ...urls, ...searches, ...apiLists, ...strings]],
  [28, [...mixedOrder, ...optionals, ...quantities]],
  [29, [...laterStrings, ...sets]],
  [30, [...addresses, ...ranges]],
  [31, formats],
  [33, semvers],
  [34, languageLists],
];

/** Minor releases that brought syntax. */
const optionalsSince = 28;
const twoVariablesSince = 32;
const sortingSince = 34;

/** Environments share their functions: there are hundreds. */
const functionsByRelease = new Map<number, Functions>();

function functionsIn(minor: number): Functions {
  const known = functionsByRelease.get(minor);
  if (known) return known;
  const functions = functionsOf(
    libraries.filter(([since]) => since <= minor).flatMap(([, overloads]) => overloads),
  );
  functionsByRelease.set(minor, functions);
  return functions;
}

/** @param minor of the release 1.x whose libraries may be used */
export function environmentOf(minor: number, variables: ReadonlyMap<string, CelType>): Environment {
  const features = {
    optionals: minor >= optionalsSince,
    twoVariables: minor >= twoVariablesSince,
    sorting: minor >= sortingSince,
  };
  return {
    functions: functionsIn(minor),
    variables,
    macros: macrosOf(features),
    optionals: features.optionals,
    homogeneous: true,
    container: '',
  };
}
