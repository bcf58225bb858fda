import './style.css'

import { mount } from 'svelte'

import App from './App.svelte'
import { findHost } from './host/host'
import { Desk } from './state/desk.svelte'

const target = document.getElementById('app')
if (target) {
  const desk = new Desk(await findHost())
  mount(App, { target, props: { desk } })
}
