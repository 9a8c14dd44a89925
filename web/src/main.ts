// The page begins here.
import { mount } from 'svelte';
import App from './App.svelte';
import './style.css';
import { openAtStart } from './state/start.js';

mount(App, { target: document.querySelector('#app')! });
void openAtStart();
