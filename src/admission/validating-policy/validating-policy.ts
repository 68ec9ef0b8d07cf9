/** Validating policies and their bindings as they are obeyed. */
import type {
  ValidatingAdmissionPolicySpec,
  ValidatingAdmissionPolicyBindingSpec,
} from '../../api/admissionregistration/v1.types.ts';
import { boolType, nullType, stringType } from '../../cel/language/types.ts';
import { PolicyIndex } from '../policy/policy-index.ts';
import { PolicyPrograms, type CompiledText, type CompileText } from '../policy/policy-programs.ts';
import { readBinding, readPolicy, readStored, type Binding, type Policy } from '../policy/policy.ts';

/** What a policy demands, compiled. */
export interface Validations {
  readonly validations: readonly CompiledText[];
  /** Absent where a validation has none. */
  readonly messages: readonly (CompiledText | undefined)[];
  readonly annotations: readonly CompiledText[];
}

export interface ValidatingPolicy extends Policy {
  readonly spec: ValidatingAdmissionPolicySpec;
  readonly programs: PolicyPrograms<Validations>;
}

export interface ValidatingBinding extends Binding {
  readonly actions: ReadonlySet<string>;
}

export type ValidatingPolicyIndex = PolicyIndex<ValidatingPolicy, ValidatingBinding>;

const ofMessages = [stringType];
const ofAnnotations = [stringType, nullType];

export function createValidatingPolicyIndex(): ValidatingPolicyIndex {
  return new PolicyIndex<ValidatingPolicy, ValidatingBinding>({
    *policy(entry) {
      const { name, spec } = yield* readStored<ValidatingAdmissionPolicySpec>(entry);
      const programs = new PolicyPrograms(spec, (compile) => compileValidations(spec, compile));
      return { ...(yield* readPolicy(name, spec)), spec, programs };
    },
    *binding(entry) {
      const { name, spec } = yield* readStored<ValidatingAdmissionPolicyBindingSpec>(entry);
      return { ...(yield* readBinding(name, spec)), actions: new Set(spec.validationActions ?? []) };
    },
  });
}

async function compileValidations(
  { validations, auditAnnotations }: ValidatingAdmissionPolicySpec,
  compile: CompileText,
): Promise<Validations> {
  const texts: CompiledText[] = [];
  const messages: (CompiledText | undefined)[] = [];
  for (const { expression = '', messageExpression = '' } of validations ?? []) {
    texts.push(await compile(expression, { results: [boolType] }));
    messages.push(
      messageExpression === ''
        ? undefined
        : await compile(messageExpression, { results: ofMessages, hasAuthorizer: false }),
    );
  }
  const annotations: CompiledText[] = [];
  for (const { valueExpression = '' } of auditAnnotations ?? [])
    annotations.push(await compile(valueExpression, { results: ofAnnotations }));
  return { validations: texts, messages, annotations };
}
