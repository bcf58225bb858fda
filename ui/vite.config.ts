import { svelte } from '@sveltejs/vite-plugin-svelte'
import { svelteTesting } from '@testing-library/svelte/vite'
import { defineConfig } from 'vitest/config'

// The window's development server and `tauri.conf.json` name the same port; WebKitGTK sets the target.
export default defineConfig({
  plugins: [svelte(), svelteTesting()],
  server: { host: '127.0.0.1', port: 1420, strictPort: true },
  // Pages are served under a strict CSP: no inlined scripts, no preload polyfill that would inject one.
  build: { target: 'safari18', outDir: 'dist', emptyOutDir: true, modulePreload: { polyfill: false } },
  // One test reads the colours.
  test: { environment: 'happy-dom', include: ['src/**/*.test.ts'], css: { include: [/tokens\.css/] } },
})
