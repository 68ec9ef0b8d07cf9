/** What expressions may use in each release: its functions and its syntax. */
import type { Environment, StructTypes } from '../check/environment.ts';
import { functionsOf, type Functions, type Overload } from '../language/functions.ts';
import { macrosOf } from '../language/macros.ts';
import type { CelType } from '../language/types.ts';
import { authorizationSelectors, authorizations } from './authorizer.ts';
import { apiLists, languageLists } from './extended-lists.ts';
import { formats } from './formats.ts';
import { jsonPatches } from './json-patch.ts';
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
  [27, authorizations],
  [28, [...mixedOrder, ...optionals, ...quantities]],
  [29, [...laterStrings, ...sets]],
  [30, [...addresses, ...ranges]],
  [31, [...formats, ...authorizationSelectors]],
  [33, semvers],
  [34, languageLists],
];

/** Minor releases that brought syntax. */
const optionalsSince = 28;
const twoVariablesSince = 32;
const sortingSince = 34;

/** Environments share their functions: there are hundreds. */
const functionsByRelease = new Map<string, Functions>();

function functionsIn(minor: number, makesPatches: boolean): Functions {
  const key = `${String(minor)} ${String(makesPatches)}`;
  const known = functionsByRelease.get(key);
  if (known) return known;
  const ofRelease = libraries.filter(([since]) => since <= minor).flatMap(([, overloads]) => overloads);
  const functions = functionsOf(makesPatches ? [...ofRelease, ...jsonPatches] : ofRelease);
  functionsByRelease.set(key, functions);
  return functions;
}

/** What some expressions may do beside what all may. */
export interface MoreFeatures {
  /** `cel.bind`: those that choose devices have it. */
  readonly binds?: boolean;
  /** Objects that they make by their names; these are changes, for which there are functions, too. */
  readonly structs?: StructTypes | undefined;
}

/** @param minor of the release 1.x whose libraries may be used */
export function environmentOf(
  minor: number,
  variables: ReadonlyMap<string, CelType>,
  { structs, binds = false }: MoreFeatures = {},
): Environment {
  const features = {
    optionals: minor >= optionalsSince,
    twoVariables: minor >= twoVariablesSince,
    sorting: minor >= sortingSince,
    binds,
  };
  return {
    functions: functionsIn(minor, structs !== undefined),
    variables,
    ...(structs && { structs }),
    macros: macrosOf(features),
    optionals: features.optionals,
    quotedNames: false,
    homogeneous: true,
    container: '',
  };
}
