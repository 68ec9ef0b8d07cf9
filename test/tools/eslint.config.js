/** Lint rules: type-aware and strict; sizes keep files and functions small enough to read. */
import tseslint from 'typescript-eslint';

const sizes = {
  'max-lines': ['error', { max: 400 }],
  'max-lines-per-function': ['error', { max: 60 }],
  'max-depth': ['error', 3],
  'max-params': ['error', 4],
  complexity: ['error', 16],
};

export default tseslint.config(
  { ignores: ['**/*.types.ts', 'dist/**', '.orch/**', 'node_modules/**', '**/*.js', '**/*.mjs'] },
  ...tseslint.configs.strictTypeChecked,
  {
    files: ['src/**/*.ts', 'test/**/*.ts'],
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    languageOptions: {
      parserOptions: { project: '../../tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      ...sizes,
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': true }],
    },
  },
  {
    files: ['test/**/*.ts', 'src/cli/**/*.ts', 'src/main.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
);
