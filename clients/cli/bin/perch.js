#!/usr/bin/env node
import '../dist/perch.js';
