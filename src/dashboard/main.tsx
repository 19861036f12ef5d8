import { render } from 'preact';
import { App } from './app.tsx';
import { findOutWho } from './find-out-who.ts';
import { followAddress } from './location.ts';

followAddress();
void findOutWho();
const root = document.getElementById('page');
if (root) render(<App />, root);
