import type { Random } from '../../random.ts';
import type { DemoDraft } from '../demo-item.ts';

interface Recipe {
  name: string;
  tags: string[];
  ingredients: string[];
  steps: string[];
}

export const RECIPES: Recipe[] = [
  {
    name: 'Lentil soup with lemon',
    tags: ['soup', 'vegan'],
    ingredients: ['250 g red lentils', '2 carrots', '1 onion', '1 lemon', '1 tsp cumin', '1 l stock'],
    steps: [
      'Soften the onion and the carrots in oil.',
      'Add the cumin and the lentils, then the stock.',
      'Simmer for twenty minutes, blend half of it, finish with lemon.',
    ],
  },
  {
    name: 'Rye bread for beginners',
    tags: ['baking', 'bread'],
    ingredients: ['400 g rye flour', '100 g wheat flour', '380 ml water', '100 g sourdough', '10 g salt'],
    steps: [
      'Mix everything and forget about it overnight.',
      'Shape it with wet hands and let it rise in the tin.',
      'Bake at 240 °C for fifteen minutes, then at 200 °C for forty-five.',
    ],
  },
  {
    name: 'Potato pancakes',
    tags: ['quick', 'vegetarian'],
    ingredients: ['1 kg potatoes', '1 onion', '2 eggs', '3 tbsp flour', 'nutmeg'],
    steps: ['Grate and press the potatoes.', 'Mix with the rest.', 'Fry in small heaps until golden.'],
  },
  {
    name: 'Plum crumble',
    tags: ['baking', 'dessert'],
    ingredients: ['700 g plums', '150 g flour', '100 g butter', '80 g sugar', '1 pinch of cinnamon'],
    steps: ['Halve the plums into a dish.', 'Rub butter, flour and sugar to crumbs.', 'Bake for 35 minutes.'],
  },
  {
    name: 'Chickpea salad for a crowd',
    tags: ['salad', 'vegan', 'party'],
    ingredients: ['3 tins of chickpeas', '1 cucumber', '6 tomatoes', 'parsley', 'tahini', '2 lemons'],
    steps: [
      'Chop all of it small.',
      'Stir tahini and lemon to a dressing.',
      'Toss, rest an hour, taste again.',
    ],
  },
  {
    name: 'Mushroom barley risotto',
    tags: ['dinner', 'vegetarian'],
    ingredients: ['300 g barley', '400 g mushrooms', '1 leek', '1 glass of cider', '1.2 l stock'],
    steps: [
      'Brown the mushrooms and set them aside.',
      'Cook the leek and the barley, ladle by ladle.',
      'Fold in.',
    ],
  },
];

/** A recipe in markdown. */
export function writeRecipe(random: Random, { name, tags, ingredients, steps }: Recipe): DemoDraft {
  const serves = random.between(2, 8);
  const minutes = random.between(4, 18) * 5;
  const text = `# ${name}

Serves **${serves}**, takes about **${minutes} minutes**.

## You need

${ingredients.map((one) => `- [ ] ${one}`).join('\n')}

## How

${steps.map((step, n) => `${n + 1}. ${step}`).join('\n')}

> ${random.pick([
    'Keeps three days in the fridge, and is better on the second.',
    'Double it: somebody always comes by.',
    'Works with whatever the market has.',
    'Grandmother used twice the butter. So may you.',
  ])}
`;
  return { title: name, tags: ['recipe', ...tags], content: { kind: 'html', type: 'text/markdown', text } };
}
