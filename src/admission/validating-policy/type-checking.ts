/**
 * The type check of a policy for its status: its expressions against the types of the kinds that it is about (kube-apiserver:
 * TypeChecker of validating policies). It changes nothing of what the policy does: at run time objects have any type.
 */
import type {
  ExpressionWarning,
  NamedRuleWithOperations,
  ParamKind,
  ValidatingAdmissionPolicySpec,
  Validation,
} from '../../api/admissionregistration/v1.types.ts';
import { Slice } from '../../base/cooperate.ts';
import { policyEnvironment, type PolicyNames } from '../../cel/admission/environment.ts';
import { VariableTypes } from '../../cel/admission/variables.ts';
import type { CelType } from '../../cel/language/types.ts';
import { compile } from '../../cel/program.ts';
import { typeOfSchema } from '../../cel/schema/schema-types.ts';
import { parseApiVersion, type GroupVersionKind } from '../../meta/gvk.ts';
import type { ResourceCatalogue, ServedResource } from '../../registry/types.ts';

/** What is stored may use every library: it compiled when it was written. */
const minor = Number.POSITIVE_INFINITY;
/** Kinds that are looked at, of each rule. */
const mostTypes = 10;
/** Names in each list of a rule. */
const mostNames = 1_000;
/** Names that are looked up in groups and versions: the lists of a rule of a few kilobytes have a thousand million combinations. */
const mostLooks = 100_000;
/** Between two looks at the clock. */
const looksOfStep = 64;
/** Characters of all warnings, which are stored with the policy. */
const mostText = 128 * 1024;

/** Checks a policy; gives a warning for each expression that has a mistake with one of the kinds. */
export type CheckTypes = (spec: ValidatingAdmissionPolicySpec) => Promise<ExpressionWarning[]>;

/** @param catalogue the kinds that are served now */
export function createTypeChecker(catalogue: () => ResourceCatalogue): CheckTypes {
  return async (spec) => {
    const served = catalogue();
    const params = await paramType(spec.paramKind ?? undefined, served);
    const slice = new Slice();
    const checks: KindCheck[] = [];
    for (const resource of await kindsOf(spec, served, slice)) {
      const names = { hasParams: spec.paramKind != null, object: await typeOf(resource), ...params };
      checks.push(await kindCheck(resource.gvk, names, { spec, slice }));
    }
    return warningsOf(textsOf(spec.validations ?? []), checks, slice);
  };
}

/** What is wrong with an expression about objects of one kind; '' if nothing is. */
type KindCheck = (text: string) => string;

async function kindCheck(
  { group, version, kind }: GroupVersionKind,
  names: PolicyNames,
  { spec, slice }: { readonly spec: ValidatingAdmissionPolicySpec; readonly slice: Slice },
): Promise<KindCheck> {
  const types = new VariableTypes();
  const environment = policyEnvironment(minor, { ...names, variables: types.type });
  for (const { name = '', expression = '' } of spec.variables ?? []) {
    await slice.breathe();
    types.add(name, compile(expression, environment).program?.type);
  }
  const shown = `${group === '' ? version : `${group}/${version}`}, Kind=${kind}`;
  return (text) => {
    const { problem } = compile(text, environment);
    return problem === undefined ? '' : `${shown}: ${problem}\n`;
  };
}

interface PlacedText {
  readonly fieldRef: string;
  readonly text: string;
}

function* textsOf(validations: readonly Validation[]): Generator<PlacedText> {
  for (const [index, validation] of validations.entries())
    for (const field of ['expression', 'messageExpression'] as const) {
      const text = validation[field] ?? '';
      if (text !== '') yield { fieldRef: `spec.validations[${String(index)}].${field}`, text };
    }
}

async function warningsOf(
  texts: Iterable<PlacedText>,
  checks: readonly KindCheck[],
  slice: Slice,
): Promise<ExpressionWarning[]> {
  const warnings: ExpressionWarning[] = [];
  let length = 0;
  for (const { fieldRef, text } of texts) {
    const problems: string[] = [];
    for (const check of checks) {
      await slice.breathe();
      problems.push(check(text));
    }
    const warning = problems.filter((problem) => problem !== '').join('\n');
    length += warning.length;
    if (length > mostText) break;
    if (warning !== '') warnings.push({ fieldRef, warning });
  }
  return warnings;
}

/** The kinds of the rules, sorted; rules with wildcards name none, and subresources are left out. */
async function kindsOf(
  spec: ValidatingAdmissionPolicySpec,
  served: ResourceCatalogue,
  slice: Slice,
): Promise<ServedResource[]> {
  const found = new Map<string, ServedResource>();
  let looks = 0;
  for (const rule of spec.matchConstraints?.resourceRules ?? []) {
    let ofRule = 0;
    for (const resource of looksOf(rule, served)) {
      if (ofRule === mostTypes || (looks += 1) > mostLooks) break;
      if (looks % looksOfStep === 0) await slice.breathe();
      if (!resource) continue;
      found.set(sortKey(resource), resource);
      ofRule += 1;
    }
    if (ofRule === mostTypes) break;
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, resource]) => resource);
}

/** Of parts that no name of a kind has. */
function sortKey({ gvk: { group, version, kind } }: ServedResource): string {
  return [group, version, kind].join('\0');
}

/** What is served under each name in each group and version of a rule, one look after the other. */
function* looksOf(
  rule: NamedRuleWithOperations,
  served: ResourceCatalogue,
): Generator<ServedResource | undefined> {
  const [groups, versions] = [sorted(rule.apiGroups), sorted(rule.apiVersions)];
  const resources = sorted(rule.resources).filter((name) => !/[*/]/.test(name));
  if ([...groups, ...versions].some((name) => name.includes('*'))) return;
  for (const group of groups)
    for (const version of versions) for (const name of resources) yield served.resource(group, version, name);
}

function sorted(names: readonly string[] | null | undefined): readonly string[] {
  return (names ?? []).slice(0, mostNames).sort();
}

/** A kind of parameters that is not served has any type. */
async function paramType(
  paramKind: ParamKind | undefined,
  served: ResourceCatalogue,
): Promise<{ readonly params?: CelType }> {
  const place = parseApiVersion(paramKind?.apiVersion ?? '');
  const kind = place && served.kind(place.group, place.version, paramKind?.kind ?? '');
  return kind ? { params: await typeOf(kind) } : {};
}

/** The schema of a custom resource may have to be parsed first, which takes slices. */
async function typeOf(resource: ServedResource): Promise<CelType> {
  await resource.prepare?.();
  return typeOfSchema(resource.schema);
}
