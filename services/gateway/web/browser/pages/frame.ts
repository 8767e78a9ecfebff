/** The script of every page of the service. */
import { offerLanguages } from '../language-switch.ts';

offerLanguages();
