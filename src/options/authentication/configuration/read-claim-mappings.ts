/** The section `claimMappings`: which claims are the user's name, groups, uid and extra. */
import type { ClaimMapping, ExtraMapping, IssuerRules } from '../../../authn/oidc/issuer-rules.ts';
import type { JsonObject } from '../../../base/json.ts';
import { addDuplicates, addInvalid, addRequired, isGiven, objectAt } from '../../placed-problems.ts';
import { at, type Placed, type YamlFile } from '../../yaml-file.ts';
import type { ExpressionText } from './expression-text.ts';
import { extraKeyProblems } from './extra-key.ts';
import type { JwtContext } from './file-rules.ts';

type Mappings = Pick<IssuerRules, 'username' | 'groups' | 'uid' | 'extra'>;

const nothing: ClaimMapping = { claim: '', prefix: '' };

/** Errors are added to those of the file. */
export function readClaimMappings(file: YamlFile, jwt: Placed<JsonObject>, context: JwtContext): Mappings {
  const mappings = objectAt(file, jwt, 'claimMappings') ?? { value: {}, path: at(jwt.path, 'claimMappings') };
  file.known(mappings, ['username', 'groups', 'uid', 'extra']);
  const reader = new MappingReader(file, jwt.path, context.expressions);
  return {
    username: reader.mapping(mappings, 'username') ?? nothing,
    groups: reader.mapping(mappings, 'groups'),
    uid: reader.mapping(mappings, 'uid'),
    extra: readExtra(file, mappings, { reader, naming: context.rules.naming }),
  };
}

class MappingReader {
  private readonly file: YamlFile;
  private readonly issuer: string;
  private readonly expressions: ExpressionText[];

  constructor(file: YamlFile, issuer: string, expressions: ExpressionText[]) {
    this.file = file;
    this.issuer = issuer;
    this.expressions = expressions;
  }

  mapping(owner: Placed<JsonObject>, name: 'username' | 'groups' | 'uid'): ClaimMapping | undefined {
    const { file } = this;
    const mapping = objectAt(file, owner, name) ?? { value: {}, path: at(owner.path, name) };
    file.known(mapping, name === 'uid' ? ['claim', 'expression'] : ['claim', 'prefix', 'expression']);
    const [claim, expression] = [file.text(mapping, 'claim'), file.text(mapping, 'expression')];
    const hasPrefix = typeof mapping.value['prefix'] === 'string';
    const prefix = file.text(mapping, 'prefix');
    if (claim !== '' && expression !== '')
      addInvalid(file, mapping, '', {
        value: mapping.value,
        detail: `${name}.claim and ${name}.expression can't both be set`,
      });
    if (expression !== '') {
      if (hasPrefix)
        addInvalid(file, mapping, 'prefix', {
          value: prefix,
          detail: "prefix can't be set when expression is set",
        });
      this.note(mapping, 'expression', {
        text: expression,
        isUsername: name === 'username',
        mayVerify: name === 'username',
      });
      return { expression };
    }
    if (claim === '') {
      if (name === 'username') addRequired(file, owner, name, 'claim or expression is required');
      else if (hasPrefix)
        addInvalid(file, mapping, 'prefix', {
          value: prefix,
          detail: "prefix can't be set when claim is not set",
        });
      return undefined;
    }
    if (!hasPrefix && name !== 'uid')
      addRequired(
        file,
        mapping,
        'prefix',
        'prefix is required when claim is set. It can be set to an empty string to disable prefixing',
      );
    return { claim, prefix };
  }

  note(
    owner: Placed<JsonObject>,
    field: string,
    about: Pick<ExpressionText, 'text' | 'isUsername' | 'mayVerify'>,
  ): void {
    this.expressions.push({ owner, field, kind: 'claimMapping', issuer: this.issuer, ...about });
  }
}

function readExtra(
  file: YamlFile,
  mappings: Placed<JsonObject>,
  { reader, naming }: { readonly reader: MappingReader; readonly naming: JwtContext['rules']['naming'] },
): ExtraMapping[] {
  const list = file.objects(mappings, 'extra');
  const extra = list.map((one) => {
    file.known(one, ['key', 'valueExpression']);
    const [key, expression] = [file.text(one, 'key'), file.text(one, 'valueExpression')];
    if (!isGiven(one, 'key')) addRequired(file, one, 'key');
    else
      for (const detail of extraKeyProblems(key, naming))
        addInvalid(file, one, 'key', { value: key, detail });
    if (!isGiven(one, 'valueExpression'))
      addRequired(file, one, 'valueExpression', 'valueExpression is required');
    else reader.note(one, 'valueExpression', { text: expression, isUsername: false, mayVerify: true });
    return { key, expression };
  });
  addDuplicates(
    file,
    extra.map(({ key }) => key),
    (index) => [list[index] ?? mappings, 'key'],
  );
  return extra;
}
