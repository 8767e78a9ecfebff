import { expect, test } from 'bun:test';
import { localAssets } from '../../../services/gateway/kinds/html/local-assets.ts';

test.each<[html: string, refs: string[]]>([
  ['', []],
  ['<img src=a.png>', ['a.png']],
  ['<IMG SRC = "A B.png" >', ['A B.png']],
  ['<img src="a&amp;b.png">', ['a&b.png']],
  ['<img src="  a.png\n">', ['a.png']],
  ['<img src="" srcset=" , ">', []],
  ['<img src="#x"><img src="?y"><img src="/">', []],
  ['<img src="mailto:x"><img src="blob:x"><img src="\\\\host\\x">', []],
  ['<img alt="src=x.png">', []],
  ['<img src="a.png" src="b.png">', ['a.png']],
  ['<a src="a.png"><link href="a.css"><link rel="alternate" href="feed.xml">', []],
  ['<link rel="preload STYLESHEET" href="a.css">', ['a.css']],
  ['<source srcset="a.png, b.png 2x"><object data="c.pdf"></object>', ['a.png', 'b.png', 'c.pdf']],
  ['<base href="https://example.org/"><img src="a.png">', []],
  ['<textarea><img src="a.png"></textarea><title><img src="b.png"></title>', []],
  ['<svg><image href="a.png"/></svg><iframe src="f.html"></iframe>', ['f.html']],
  ['<img src="a.png', []],
  ['<style>a { b: url("x.png") url( y.png ) url(data:image/png;base64,AA==) }', ['x.png', 'y.png']],
  ['< img src="a.png"><1 src="b.png">', []],
])('%s', (html, refs) => {
  expect(localAssets(html, 50)).toEqual(refs);
});

test('looks at so many tags and no more, and stops when it has enough', () => {
  expect(localAssets(`${'<b>'.repeat(10_000)}<img src=a>`, 50)).toEqual([]);
  expect(localAssets('<img src=a><img src=b><img src=c>', 2)).toEqual(['a', 'b']);
});

test('looks at so many attributes and addresses of a page and no more', () => {
  expect(localAssets(`<p ${'a '.repeat(19_990)}><img src=a>`, 50)).toEqual(['a']);
  expect(localAssets(`<p ${'a '.repeat(20_000)}><img src=a>`, 50)).toEqual([]);
  expect(localAssets(`<style>${'url(/)'.repeat(20_000)}</style><img src=a>`, 50)).toEqual([]);
});

test('takes linear time for hostile markup', () => {
  for (const piece of [
    '<',
    '<img ',
    '<img src="',
    "<a b='",
    '<style>url(',
    'url(url(',
    '<!--',
    '<p style="url(',
    '<img srcset="a ,',
  ])
    localAssets(piece.repeat(1_000_000), 50);
}, 20_000);
