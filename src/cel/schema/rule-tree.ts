/** The rules of a schema, compiled, in a tree that has only the nodes with rules at or below them. */
import { getOwn, isObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import type { Structural } from '../../schema/structural/types.ts';
import { estimateCost } from '../cost/estimate.ts';
import { boolType, optionalOf, stringType, type CelType } from '../language/types.ts';
import { environmentOf } from '../library/environments.ts';
import { compile, type Compiled, type Program } from '../program.ts';
import type { Declaration } from './declaration.ts';
import { declarationOf, mostAt } from './declaration.ts';
import { escapeName } from './property-names.ts';
import type { Rule } from './rule.ts';
import { rulesOf } from './rule.ts';
import { type ExtendPath, readRulePath } from './rule-path.ts';

/** An expression of a rule. */
export interface RuleProgram {
  readonly program: Program | undefined;
  /** Why there is no program. */
  readonly problem: string | undefined;
  /** Most that one evaluation may cost. */
  readonly maxCost: number;
}

/** A rule with its programs, which are compiled when they are needed: a schema may have 50,000 characters of them. */
export class CompiledRule {
  readonly rule: Rule;
  /** Where the schema has it. */
  readonly at: FieldPath;
  readonly #make: () => RulePrograms;
  #made: RulePrograms | undefined;

  constructor(rule: Rule, at: FieldPath, make: () => RulePrograms) {
    this.rule = rule;
    this.at = at;
    this.#make = make;
  }

  get isCompiled(): boolean {
    return this.#made !== undefined;
  }

  compile(): RulePrograms {
    return (this.#made ??= this.#make());
  }

  get condition(): RuleProgram {
    return this.compile().condition;
  }

  get message(): RuleProgram | undefined {
    return this.compile().message;
  }

  get usesOldSelf(): boolean {
    return this.compile().usesOldSelf;
  }

  get extendPath(): ExtendPath {
    return this.compile().extendPath;
  }
}

interface RulePrograms {
  readonly condition: RuleProgram;
  readonly message: RuleProgram | undefined;
  readonly usesOldSelf: boolean;
  readonly extendPath: ExtendPath;
}

export interface RuleNode {
  readonly node: Structural;
  readonly declaration: Declaration;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly items: RuleNode | undefined;
  readonly additional: RuleNode | undefined;
}

export interface RuleOptions {
  /** Prefix of extensions, as the naming profile spells it. */
  readonly prefix: string;
  /** Minor number of the release whose libraries expressions may use; absent: all libraries. */
  readonly minor?: number;
  /** Expressions that were there before: they may use all libraries. */
  readonly known?: ReadonlySet<string>;
}

/** A schema that judges, and its place: the node's own, or a part of `allOf`. */
interface Judge {
  readonly raw: JsonObject;
  readonly at: FieldPath;
}

const selfName = 'self';
const oldSelfName = 'oldSelf';

/** Undefined when the schema has no rules. @param at place of the schema in its definition */
export function readRules(root: Structural, at: FieldPath, options: RuleOptions): RuleNode | undefined {
  const judges = judgesOf({ raw: root.raw, at });
  const finder = new RuleFinder(options.prefix);
  if (!judges.some(({ raw }) => finder.holds(raw))) return undefined;
  return new TreeBuilder(options, finder).node(root, judges, declarationOf(root, 'object', true));
}

function judgesOf(own: Judge): Judge[] {
  const parts = getOwn(own.raw, 'allOf');
  if (!Array.isArray(parts)) return [own];
  const at = own.at.child('allOf');
  return [own, ...parts.flatMap((raw, i) => (isObject(raw) ? judgesOf({ raw, at: at.index(i) }) : []))];
}

/** Whether a schema has rules at or below it. Worked out once for each node: every node above asks. */
class RuleFinder {
  private readonly known = new Map<JsonObject, boolean>();
  private readonly prefix: string;

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  holds(value: JsonValue | undefined): boolean {
    if (Array.isArray(value)) return value.some((item) => this.holds(item));
    if (!isObject(value)) return false;
    let found = this.known.get(value);
    if (found === undefined) this.known.set(value, (found = this.find(value)));
    return found;
  }

  private find(raw: JsonObject): boolean {
    return rulesOf(raw, this.prefix).length > 0 || Object.values(raw).some((member) => this.holds(member));
  }
}

class TreeBuilder {
  private readonly options: RuleOptions;
  private readonly finder: RuleFinder;

  constructor(options: RuleOptions, finder: RuleFinder) {
    this.options = options;
    this.finder = finder;
  }

  node(
    node: Structural,
    judges: readonly Judge[],
    declaration: Declaration | undefined,
  ): RuleNode | undefined {
    if (!declaration) return undefined;
    const rules = judges.flatMap(({ raw, at }) => this.rules({ raw, at }, node, declaration));
    const properties = this.properties(node, judges, declaration);
    const inside =
      declaration.kind === 'list'
        ? declaration.item
        : declaration.kind === 'map'
          ? declaration.value
          : undefined;
    const items = node.items && this.node(node.items, partsOf(judges, 'items'), inside);
    const additional =
      typeof node.additional === 'object'
        ? this.node(node.additional, partsOf(judges, 'additionalProperties'), inside)
        : undefined;
    if (rules.length === 0 && properties.size === 0 && !items && !additional) return undefined;
    return { node, declaration, rules, properties, items, additional };
  }

  private minorFor(text: string): number {
    const { minor, known } = this.options;
    return minor === undefined || known?.has(text) === true ? Number.POSITIVE_INFINITY : minor;
  }

  private properties(
    node: Structural,
    judges: readonly Judge[],
    declaration: Declaration,
  ): ReadonlyMap<string, RuleNode> {
    const found = new Map<string, RuleNode>();
    for (const [name, property] of node.properties) {
      const parts = partsOf(judges, 'properties', name);
      if (!parts.some(({ raw }) => this.finder.holds(raw))) continue;
      const own = this.node(property, parts, declarationOfProperty(name, property, declaration));
      if (own) found.set(name, own);
    }
    return found;
  }

  private rules({ raw, at }: Judge, node: Structural, declaration: Declaration): CompiledRule[] {
    const place = at.child(`${this.options.prefix}validations`);
    return rulesOf(raw, this.options.prefix).map((rule, i) =>
      this.rule(rule, place.index(i), { node, declaration }),
    );
  }

  private rule(
    rule: Rule,
    at: FieldPath,
    { node, declaration }: { readonly node: Structural; readonly declaration: Declaration },
  ): CompiledRule {
    return new CompiledRule(rule, at, () => this.programs(rule, node, declaration));
  }

  private programs(rule: Rule, node: Structural, declaration: Declaration): RulePrograms {
    const oldType = rule.optionalOldSelf === true ? optionalOf(declaration.type) : declaration.type;
    const variables = new Map<string, CelType>([
      [selfName, declaration.type],
      [oldSelfName, oldType],
    ]);
    const read = (text: string, type: CelType, problem: string): RuleProgram =>
      ruleProgram(
        compile(text, environmentOf(this.minorFor(text), variables)),
        { type, problem },
        declaration,
      );
    const condition = read(rule.rule, boolType, 'cel expression must evaluate to a bool');
    const message =
      rule.messageExpression === ''
        ? undefined
        : read(rule.messageExpression, stringType, 'must evaluate to a string');
    const usesOldSelf = condition.program?.uses(oldSelfName) ?? false;
    const extendPath = readRulePath(rule.fieldPath, node) ?? ((path) => path);
    return { condition, message, usesOldSelf, extendPath };
  }
}

function declarationOfProperty(
  name: string,
  property: Structural,
  parent: Declaration,
): Declaration | undefined {
  const identifier = escapeName(name);
  if (parent.kind === 'object' && identifier !== undefined) return parent.fields.get(identifier)?.declaration;
  return declarationOf(property, `object.${name}`, property.embedded);
}

function ruleProgram(
  { program, problem }: Compiled,
  wanted: { readonly type: CelType; readonly problem: string },
  declaration: Declaration,
): RuleProgram {
  if (!program) return { program: undefined, problem: `compilation failed: ${problem}`, maxCost: 0 };
  if (program.type.kind !== wanted.type.kind)
    return { program: undefined, problem: wanted.problem, maxCost: 0 };
  const { max } = estimateCost(program.checked, (path) => mostAt(declaration, path));
  return { program, problem: undefined, maxCost: max };
}

function partsOf(judges: readonly Judge[], keyword: string, name?: string): Judge[] {
  return judges.flatMap(({ raw, at }) => {
    const value = getOwn(raw, keyword);
    const part = name === undefined ? value : isObject(value) ? getOwn(value, name) : undefined;
    if (!isObject(part)) return [];
    const place = name === undefined ? at.child(keyword) : at.child(keyword).key(name);
    return judgesOf({ raw: part, at: place });
  });
}
