/** The sections `claimValidationRules` and `userValidationRules`: what must hold for a token to be accepted. */
import type { ClaimRule, ExpressionRule } from '../../../authn/oidc/issuer-rules.ts';
import type { JsonObject } from '../../../base/json.ts';
import { addDuplicates, addInvalid, addRequired } from '../../placed-problems.ts';
import type { Placed, YamlFile } from '../../yaml-file.ts';
import type { ExpressionText } from './expression-text.ts';

/** Errors are added to those of the file, expressions to `expressions`. */
export function readClaimRules(
  file: YamlFile,
  jwt: Placed<JsonObject>,
  expressions: ExpressionText[],
): ClaimRule[] {
  const list = file.objects(jwt, 'claimValidationRules');
  const rules = list.map((rule): ClaimRule => {
    file.known(rule, ['claim', 'requiredValue', 'expression', 'message']);
    const [claim, value] = [file.text(rule, 'claim'), file.text(rule, 'requiredValue')];
    const [expression, message] = [file.text(rule, 'expression'), file.text(rule, 'message')];
    const invalid = (name: string, detail: string): void =>
      addInvalid(file, rule, name, { value: name === '' ? rule.value : (rule.value[name] ?? ''), detail });
    if (claim === '' && expression === '') addRequired(file, rule, '', 'claim or expression is required');
    if (claim !== '' && expression !== '') invalid('', "claim and expression can't both be set");
    if (expression === '') {
      if (message !== '') invalid('message', "message can't be set when claim is set");
      return { claim, value };
    }
    if (value !== '') invalid('requiredValue', "requiredValue can't be set when expression is set");
    const about = { kind: 'claimRule', issuer: jwt.path, isUsername: false, mayVerify: true } as const;
    expressions.push({ owner: rule, field: 'expression', text: expression, ...about });
    return { expression, message };
  });
  addRepeated(file, list, 'claim');
  addRepeated(file, list, 'expression');
  return rules;
}

/** Errors are added to those of the file, expressions to `expressions`. */
export function readUserRules(
  file: YamlFile,
  jwt: Placed<JsonObject>,
  expressions: ExpressionText[],
): ExpressionRule[] {
  const list = file.objects(jwt, 'userValidationRules');
  const rules = list.map((rule) => {
    file.known(rule, ['expression', 'message']);
    const [expression, message] = [file.text(rule, 'expression'), file.text(rule, 'message')];
    const about = { kind: 'userRule', issuer: jwt.path, isUsername: false, mayVerify: false } as const;
    if (expression === '') addRequired(file, rule, 'expression', 'expression is required');
    else expressions.push({ owner: rule, field: 'expression', text: expression, ...about });
    return { expression, message };
  });
  addRepeated(file, list, 'expression');
  return rules;
}

function addRepeated(file: YamlFile, list: readonly Placed<JsonObject>[], name: string): void {
  const texts = list.map(({ value }) => {
    const text = value[name];
    return typeof text === 'string' ? text : '';
  });
  addDuplicates(file, texts, (index) => [list[index] ?? { value: undefined, path: '' }, name]);
}
