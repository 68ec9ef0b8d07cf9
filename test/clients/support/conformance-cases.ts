/** Cases of the conformance data of the expression language (`SimpleTestFile` of cel-spec), and what the engine makes of them. */
import type { Environment } from '../../../src/cel/check/environment.ts';
import { EvaluationError } from '../../../src/cel/language/errors.ts';
import { dynType, type CelType, typeText } from '../../../src/cel/language/types.ts';
import type { CelValue } from '../../../src/cel/language/values.ts';
import { environmentOf } from '../../../src/cel/library/environments.ts';
import { compile, type Program } from '../../../src/cel/program.ts';
import { readTextFormat, type TextMessage } from './conformance-text-format.ts';
import { isSame, LeftOut, typeOf, valueOf } from './conformance-values.ts';

const newest = 36;

/** What became of the cases of a file: how many passed, which failed and why, how many were left out for which reason. */
export interface Score {
  passed: number;
  readonly failed: Map<string, string>;
  readonly leftOut: Map<string, number>;
}

/** Judges all cases of a file. */
export function scoreOf(text: string): Score {
  const score: Score = { passed: 0, failed: new Map(), leftOut: new Map() };
  for (const section of readTextFormat(text).messages('section'))
    for (const test of section.messages('test'))
      judge(`${section.text('name')}/${test.text('name')}`, test, score);
  return score;
}

function judge(name: string, test: TextMessage, score: Score): void {
  try {
    const problem = problemOf(test);
    if (problem === undefined) score.passed += 1;
    else score.failed.set(name, problem);
  } catch (error) {
    if (!(error instanceof LeftOut)) throw error;
    score.leftOut.set(error.message, (score.leftOut.get(error.message) ?? 0) + 1);
  }
}

/** Messages of Protobuf: those of the tests, and all that the language itself names but times. */
const messages =
  /\b(NestedTestAllTypes|TestAllTypes|TestRequired|GlobalEnum|NestedEnum|proto\.(has|get)Ext)\b|google\.protobuf\.(?!(Timestamp|Duration)\b(?! *\{))|(google\.protobuf|conformance\.proto[23])$/;

/** Libraries of the language that expressions of this API do not have. */
const libraries = /\bmath\.|\bcel\.(block|index|iterVar|accuVar)\(|\bbase64\./;

/** What is wrong with the engine's answer; undefined when nothing is. @throws LeftOut */
function problemOf(test: TextMessage): string | undefined {
  const expr = test.text('expr');
  if (messages.test(`${expr} ${test.text('container')}`)) throw new LeftOut('messages');
  if (libraries.test(expr)) throw new LeftOut('libraries');
  const types = declared(test);
  const wanted = wantedOf(test);
  const bindings = boundValues(test);
  for (const name of bindings.keys()) if (!types.has(name)) types.set(name, dynType);
  const { program, problem } = compile(expr, environment(test, types));
  if (program)
    return wrongType(test, program) ?? wrongValue(test, wanted, () => evaluated(program, types, bindings));
  if (wanted === undefined) return undefined;
  if (test.word('disable_check') === 'true') throw new LeftOut('without type check');
  return problem;
}

/** @throws LeftOut for functions that a case declares */
function declared(test: TextMessage): Map<string, CelType> {
  const types = new Map<string, CelType>();
  for (const declaration of test.messages('type_env')) {
    if (declaration.has('function')) throw new LeftOut('functions of the tests');
    const type = declaration.message('ident')?.message('type');
    types.set(declaration.text('name'), type ? typeOf(type) : dynType);
  }
  return types;
}

/** The language as its tests have it: lists and maps of mixed types, names in quotes, a container. */
function environment(test: TextMessage, types: ReadonlyMap<string, CelType>): Environment {
  return {
    ...environmentOf(newest, types, { binds: true }),
    ...(test.word('disable_macros') === 'true' && { macros: { expand: () => undefined } }),
    ...{ homogeneous: false, quotedNames: true, container: test.text('container') },
  };
}

/** Undefined for an error. */
function wantedOf(test: TextMessage): CelValue | undefined {
  if (test.has('eval_error') || test.has('any_eval_errors')) return undefined;
  const value = test.message('value') ?? test.message('typed_result')?.message('result');
  return value ? valueOf(value) : true;
}

function boundValues(test: TextMessage): Map<string, CelValue> {
  const values = new Map<string, CelValue>();
  for (const binding of test.messages('bindings')) {
    const value = binding.message('value')?.message('value');
    if (value) values.set(binding.text('key'), valueOf(value));
  }
  return values;
}

function wrongType(test: TextMessage, program: Program): string | undefined {
  const deduced = test.message('typed_result')?.message('deduced_type');
  if (!deduced) return undefined;
  const [wanted, found] = [typeText(typeOf(deduced)), typeText(program.type)];
  return wanted === found ? undefined : `type ${found}, not ${wanted}`;
}

function evaluated(
  program: Program,
  types: ReadonlyMap<string, CelType>,
  bindings: ReadonlyMap<string, CelValue>,
): CelValue {
  return program.evaluate([...types.keys()].map((name) => bindings.get(name))).value;
}

function wrongValue(
  test: TextMessage,
  wanted: CelValue | undefined,
  run: () => CelValue,
): string | undefined {
  if (test.word('check_only') === 'true') return undefined;
  try {
    const value = run();
    return wanted !== undefined && isSame(value, wanted) ? undefined : 'another value';
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return wanted === undefined ? undefined : error.message;
  }
}
