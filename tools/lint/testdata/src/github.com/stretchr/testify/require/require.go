package require
