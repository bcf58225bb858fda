import svelte from 'eslint-plugin-svelte'
import globals from 'globals'
import ts from 'typescript-eslint'

// Borders: only host/tauri.ts may know the window; the screens know the core by its wire types alone.
const borders = {
  'no-restricted-imports': [
    'error',
    { patterns: [{ group: ['@tauri-apps/*'], message: 'Only src/host/tauri.ts talks to the window.' }] },
  ],
}

export default ts.config(
  { ignores: ['dist/', 'node_modules/', 'test-results/', 'src/wire/wire.ts'] },
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser } },
    rules: {
      ...borders,
      'no-console': 'error',
      eqeqeq: 'error',
      // Sets and maps are replaced as wholes in `$state.raw`, or not reactive at all.
      'svelte/prefer-svelte-reactivity': 'off',
      '@typescript-eslint/no-non-null-assertion': 'error',
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser } },
  },
  { files: ['src/host/tauri.ts'], rules: { 'no-restricted-imports': 'off' } },
  { files: ['*.config.{js,ts}', 'e2e/**'], languageOptions: { globals: { ...globals.node } } },
)
